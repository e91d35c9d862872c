package slack_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRequests compares every request of a note's life with a golden file.
func TestRequests(t *testing.T) {
	s := slacktest.New(t)
	c := slack.New(options(s))
	put := func(n *notify.Note, where string) string {
		t.Helper()
		where, err := c.Put(t.Context(), ann(), n, where)
		if err != nil {
			t.Fatal(err)
		}
		return where
	}
	n := question()
	first := put(n, "")
	n.Alert, n.Text = false, n.Text+"\nThe deadline is near."
	if now := put(n, first); now != first {
		t.Errorf("a change moved the message from %q to %q", first, now)
	}
	n.Alert, n.Round = true, 1
	second := put(n, first)
	if second == first {
		t.Error("a reminder changed the message in silence")
	}
	over := &notify.Note{Key: "k1", Token: "tok", Over: true, Title: "claude-code asked", Body: "Answered in the terminal by ann.",
		Text: "Asked: Which database?\nAnswered in the terminal by ann.", Buttons: []notify.Button{{Label: "Undo", Data: "tok.u"}}}
	if now := put(over, second); now != second {
		t.Errorf("the message that says how it ended is at %q, not %q", now, second)
	}
	var got strings.Builder
	for _, call := range s.Calls("") {
		fmt.Fprintf(&got, "%s\n%s\n", call.Method, call.Body)
	}
	text := got.String()
	for i, ts := range []string{strings.Fields(first)[1], strings.Fields(second)[1]} {
		text = strings.ReplaceAll(text, ts, fmt.Sprintf("TS%d", i+1))
	}
	golden(t, "requests.txt", text)
	seen := s.Messages(slacktest.Ann)
	if len(seen) != 1 || seen[0].Shown != over.Text || len(seen[0].Buttons) != 1 || len(seen[0].Markup) > 0 {
		t.Errorf("in the end the person sees %+v", seen)
	}
	if lock := s.LockScreen(slacktest.Ann); len(lock) != 2 || lock[0] != "claude-code asks\nA question waits for you." {
		t.Errorf("the lock screen showed %q", lock)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", path, got)
	}
}

func TestPut(t *testing.T) {
	over := &notify.Note{Over: true, Title: "Closed.", Text: "Closed."}
	quiet := question()
	quiet.Alert = false
	tests := []struct {
		name    string
		prepare func(*slacktest.Server)
		note    *notify.Note
		where   string
		want    func(where string, err error) bool
		left    int // messages
	}{
		{name: "too many requests", prepare: func(s *slacktest.Server) { s.Limit("chat.postMessage", 7) }, note: question(), want: retry(7*time.Second, false)},
		{name: "Slack is down", prepare: func(s *slacktest.Server) { s.Break("chat.postMessage") }, note: question(), want: plainError},
		{name: "Slack is down before", prepare: func(s *slacktest.Server) { s.Break("conversations.open") }, note: question(), want: retry(0, false)},
		{name: "Slack does not know", prepare: func(s *slacktest.Server) { s.Fail("chat.postMessage", "internal_error") }, note: question(), want: plainError},
		{name: "the person left", prepare: func(s *slacktest.Server) { s.RemoveUser(slacktest.Ann) }, note: question(), want: goneError},
		{name: "archived", prepare: func(s *slacktest.Server) { s.Fail("chat.postMessage", "is_archived") }, note: question(), want: goneError},
		{name: "inactive", prepare: func(s *slacktest.Server) { s.Fail("chat.postMessage", "account_inactive") }, note: question(), want: goneError},
		{name: "refused blocks", prepare: func(s *slacktest.Server) { s.Fail("chat.postMessage", "invalid_blocks") }, note: question(), want: retry(0, true)},
		{name: "revoked", prepare: func(s *slacktest.Server) { s.Revoke(slacktest.BotToken) }, note: question(), want: says("token_revoked: the token was revoked; install the app again")},
		{name: "a scope is missing", prepare: func(s *slacktest.Server) { s.SetScopes("chat:write") }, note: question(), want: says("needed: im:write")},
		{name: "over, and never shown", note: over, want: at("")},
		{name: "over, and deleted by the person", note: over, where: "D0ANN 1.000001", want: at("")},
		{name: "changed, and deleted by the person", note: quiet, where: "D0ANN 1.000001", want: at("")},
		{name: "a reminder, and deleted by the person", note: question(), where: "D0ANN 1.000001", want: anywhere, left: 1},
		{name: "a place that is none", note: question(), where: "nonsense", want: anywhere, left: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := slacktest.New(t)
			if tt.prepare != nil {
				tt.prepare(s)
			}
			where, err := slack.New(options(s)).Put(t.Context(), ann(), tt.note, tt.where)
			if !tt.want(where, err) {
				t.Errorf("got %q, %v", where, err)
			}
			if n := len(s.Messages(slacktest.Ann)); n != tt.left {
				t.Errorf("%d messages are there, want %d", n, tt.left)
			}
		})
	}
}

func retry(after time.Duration, never bool) func(string, error) bool {
	return func(_ string, err error) bool {
		r, ok := errors.AsType[*notify.RetryError](err)
		return ok && r.After == after && r.Never == never
	}
}

func plainError(_ string, err error) bool {
	_, again := errors.AsType[*notify.RetryError](err)
	return err != nil && !again && !errors.Is(err, notify.ErrGone)
}

func goneError(_ string, err error) bool { return errors.Is(err, notify.ErrGone) }

func says(text string) func(string, error) bool {
	return func(_ string, err error) bool { return retry(0, false)("", err) && strings.Contains(err.Error(), text) }
}

func at(want string) func(string, error) bool {
	return func(where string, err error) bool { return err == nil && where == want }
}

func anywhere(where string, err error) bool { return err == nil && where != "" }

// TestSweep deletes an old message with the next change if it could not be deleted when
// it was replaced.
func TestSweep(t *testing.T) {
	s := slacktest.New(t)
	c := slack.New(options(s))
	where := ""
	for i := range 3 {
		if i == 1 {
			s.Break("chat.delete")
		}
		var err error
		if where, err = c.Put(t.Context(), ann(), question(), where); err != nil {
			t.Fatal(err)
		}
		want := 1
		if i == 1 {
			want = 2
		}
		if n := len(s.Messages(slacktest.Ann)); n != want {
			t.Fatalf("after round %d there are %d messages, want %d", i, n, want)
		}
	}
	if len(where) > 256 {
		t.Errorf("where has %d bytes", len(where))
	}
}

// TestClosedEditing deletes a message that cannot be changed any more and asks what has
// been answered.
func TestClosedEditing(t *testing.T) {
	s := slacktest.New(t)
	c := slack.New(options(s))
	where, err := c.Put(t.Context(), ann(), question(), "")
	if err != nil {
		t.Fatal(err)
	}
	s.Fail("chat.update", "edit_window_closed")
	where, err = c.Put(t.Context(), ann(), &notify.Note{Over: true, Title: "Closed.", Text: "Closed."}, where)
	if where != "" || err != nil || len(s.Messages(slacktest.Ann)) != 0 {
		t.Errorf("at %q, %v, with %+v", where, err, s.Messages(slacktest.Ann))
	}
}

// TestRates posts no faster than Slack takes.
func TestRates(t *testing.T) {
	s := slacktest.New(t)
	s.Rates()
	c := slack.New(options(s))
	if _, err := c.Put(t.Context(), ann(), question(), ""); err != nil {
		t.Fatal(err)
	}
	_, err := c.Put(t.Context(), ann(), question(), "")
	if r, ok := errors.AsType[*notify.RetryError](err); !ok || r.After != time.Second {
		t.Fatalf("the second message within a second: %v", err)
	}
	s.Advance(time.Second)
	if _, err := c.Put(t.Context(), ann(), question(), ""); err != nil {
		t.Errorf("a second later: %v", err)
	}
}

// TestLong shows what fits in as many blocks as it takes, and Slack takes it all.
func TestLong(t *testing.T) {
	c := slack.New(&slack.Options{})
	l := c.Limits()
	for _, unit := range []string{"word ", "x", "line\n", "&<>", "😀", "ß\n\n", "\u00a0"} {
		s := slacktest.New(t)
		c := slack.New(options(s))
		text := ""
		for l.Size(text+unit) <= l.Text {
			text += unit
		}
		n := question()
		n.Text = text
		n.Buttons = nil
		for i := range l.Buttons {
			n.Buttons = append(n.Buttons, notify.Button{Label: strings.Repeat(unit+"y", 60), Data: fmt.Sprintf("tok.%d", i)})
		}
		if _, err := c.Put(t.Context(), ann(), n, ""); err != nil {
			t.Errorf("%q: %v", unit, err)
			continue
		}
		m := s.Messages(slacktest.Ann)[0]
		flat := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if flat(m.Shown) != flat(text) || len(m.Buttons) != l.Buttons {
			t.Errorf("%q: shown %d of %d bytes, %d buttons", unit, len(m.Shown), len(text), len(m.Buttons))
		}
	}
}
