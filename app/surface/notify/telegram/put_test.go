package telegram_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
)

var update = flag.Bool("update", false, "write golden files")

// shown is a note about one ask, with every kind of button.
func shown() *notify.Note {
	return &notify.Note{
		Key: "k1", Token: "tok", Alert: true, Title: "claude-code asks", Body: "A question waits for you.",
		Text: "claude-code asks:\nWhich *database*? <b>x</b> [a](http://b) 𝒻👍\n1. SQLite\n2. PostgreSQL",
		Buttons: []notify.Button{
			{Label: "1. SQLite", Data: "tok.0", Answer: true}, {Label: "2. PostgreSQL", Data: "tok.1", Answer: true},
			{Label: "Own words…", Data: "tok.w"}, {Label: "Open in the inbox", URL: "https://hub.example/ask/1"},
			{Label: "Mute claude-code for 1 h", Data: "tok.m"},
		},
	}
}

// TestRequests plays the life of a note, and of the replies to it, and compares every
// request with the golden file.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := telegramtest.New(t)
		c, d, ann := channel(s), newDesk(), s.User(42, "ann")
		run(t, c, d)
		ann.Start("good")
		synctest.Wait()

		put := func(n *notify.Note, where string) string {
			t.Helper()
			where, err := c.Put(t.Context(), contact(42), n, where)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return where
		}
		n := shown()
		quiet := *n
		quiet.Text, quiet.Buttons = "", []notify.Button{{Label: "Show the question", Data: "tok.s"}}
		where := put(&quiet, "")
		n.Alert = false
		if got := put(n, where); got != where {
			t.Errorf("an edit moved the message from %s to %s", where, got)
		}
		if got := put(n, where); got != where { // not modified
			t.Errorf("nothing moved the message from %s to %s", where, got)
		}
		n.Alert, n.Round = true, 1
		again := put(n, where)
		if again == where {
			t.Error("a reminder is no new message")
		}
		ann.Press(ann.Last().ID, "Own words…")
		synctest.Wait()
		<-time.After(time.Minute)
		ann.Reply(ann.Last().ID, "DuckDB")
		<-time.After(time.Minute)
		put(&notify.Note{Key: "k1", Token: "tok", Over: true, Text: "Answered in Telegram: DuckDB", Buttons: []notify.Button{{Label: "Undo", Data: "tok.u"}}}, again)
		put(&notify.Note{Key: "k1", Token: "tok", Over: true, Text: "Answered in Telegram: DuckDB"}, again)
		put(&notify.Note{Key: "k1", Token: "tok", Over: true}, again)
		if got := put(&notify.Note{Key: "k2", Over: true, Text: "Closed."}, ""); got != "" {
			t.Errorf("what was never shown is over at %q", got)
		}

		var b bytes.Buffer
		for _, call := range s.Calls("") {
			if call.Method == "getUpdates" && b.Len() > 0 && call.Refusal == "" && bytes.HasSuffix(b.Bytes(), []byte(string(call.Body)+"\n")) {
				continue
			}
			fmt.Fprintf(&b, "%s %s\n", call.Method, call.Body)
			if call.Refusal != "" {
				fmt.Fprintf(&b, "  refused: %s\n", call.Refusal)
			}
		}
		golden(t, "requests", b.Bytes())
	})
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPutFails is what becomes of a note that Telegram does not take.
func TestPutFails(t *testing.T) {
	never := func(err error) bool {
		var r *notify.RetryError
		return errors.As(err, &r) && r.Never
	}
	for _, c := range []struct {
		name   string
		where  func(id int64) string
		before func(*telegramtest.Server, *telegramtest.User, int64)
		note   func(*notify.Note)
		want   func(where string, err error, u *telegramtest.User) bool
	}{
		{"blocked", nil, func(_ *telegramtest.Server, u *telegramtest.User, _ int64) { u.Block() }, nil,
			func(_ string, err error, _ *telegramtest.User) bool { return errors.Is(err, notify.ErrGone) }},
		{"blocked before an edit", nil, func(_ *telegramtest.Server, u *telegramtest.User, _ int64) { u.Block() }, silent,
			func(_ string, err error, _ *telegramtest.User) bool { return errors.Is(err, notify.ErrGone) }},
		{"429", nil, func(s *telegramtest.Server, _ *telegramtest.User, _ int64) {
			s.FailNext("sendMessage", 1, telegramtest.Fault{Status: 429, Text: "Too Many Requests: retry after 17", RetryAfter: 17})
		}, nil, func(_ string, err error, _ *telegramtest.User) bool {
			var r *notify.RetryError
			return errors.As(err, &r) && r.After == 17*time.Second && !r.Never
		}},
		{"403 that passes", nil, func(s *telegramtest.Server, _ *telegramtest.User, _ int64) {
			s.FailNext("sendMessage", 1, telegramtest.Fault{Status: 403, Text: "Forbidden: bot can't send messages to the user"})
		}, nil, func(_ string, err error, _ *telegramtest.User) bool {
			var r *notify.RetryError
			return errors.As(err, &r) && !errors.Is(err, notify.ErrGone) && !never(err)
		}},
		{"500", nil, func(s *telegramtest.Server, _ *telegramtest.User, _ int64) {
			s.FailNext("sendMessage", 1, telegramtest.Fault{Status: 500, Text: "Internal Server Error: restart"})
		}, nil, func(_ string, err error, _ *telegramtest.User) bool { return err != nil && !never(err) }},
		{"a broken connection", nil, func(s *telegramtest.Server, _ *telegramtest.User, _ int64) {
			s.FailNext("sendMessage", 1, telegramtest.Fault{})
		}, nil, func(_ string, err error, _ *telegramtest.User) bool { return err != nil && !never(err) }},
		{"another 400", nil, func(s *telegramtest.Server, _ *telegramtest.User, _ int64) {
			s.FailNext("sendMessage", 1, telegramtest.Fault{Status: 400, Text: "Bad Request: something new"})
		}, nil, func(_ string, err error, _ *telegramtest.User) bool { return never(err) }},
		{"too long", nil, nil, func(n *notify.Note) { n.Text = strings.Repeat("𝒻", 2049) },
			func(_ string, err error, _ *telegramtest.User) bool { return never(err) }},
		{"too long to say how it ended", nil, nil, func(n *notify.Note) { n.Text, n.Over, n.Buttons = strings.Repeat("𝒻", 2049), true, nil },
			func(where string, err error, u *telegramtest.User) bool {
				return err == nil && strings.HasSuffix(u.Last().Text, "𝒻…") && len([]rune(u.Last().Text)) == 2048
			}},
		{"a button with an address of this machine", nil, nil, func(n *notify.Note) {
			n.Buttons = []notify.Button{{Label: "Open in the inbox", URL: "http://localhost:7778/ask/1"}}
		}, func(_ string, err error, u *telegramtest.User) bool {
			return err == nil && strings.HasSuffix(u.Last().Text, "\n\nOpen in the inbox: http://localhost:7778/ask/1") && len(u.Last().Buttons) == 0
		}},
		{"a button that Telegram does not like", nil, func(s *telegramtest.Server, _ *telegramtest.User, _ int64) {
			s.FailNext("sendMessage", 1, telegramtest.Fault{Status: 400, Text: "Bad Request: BUTTON_URL_INVALID"})
		}, nil, func(_ string, err error, u *telegramtest.User) bool {
			last := u.Last()
			return err == nil && strings.HasSuffix(last.Text, "https://hub.example/ask/1") && !slices.Contains(last.Labels(), "Open in the inbox")
		}},
		{"the person deleted it", nil, func(_ *telegramtest.Server, u *telegramtest.User, id int64) { u.Delete(id) }, silent,
			func(where string, err error, u *telegramtest.User) bool {
				return err == nil && len(u.FromBot()) == 1 && where == fmt.Sprintf("42.%d", u.Last().ID) && u.Last().Silent
			}},
		{"the person deleted it, and it is over", nil, func(_ *telegramtest.Server, u *telegramtest.User, id int64) { u.Delete(id) }, over,
			func(where string, err error, u *telegramtest.User) bool {
				return err == nil && where == "" && len(u.FromBot()) == 0
			}},
		{"it cannot be edited", nil, func(_ *telegramtest.Server, u *telegramtest.User, id int64) { u.Freeze(id) }, over,
			func(where string, err error, u *telegramtest.User) bool {
				all := u.FromBot()
				return err == nil && len(all) == 2 && all[1].ReplyTo == all[0].ID && all[1].Silent && where == fmt.Sprintf("42.%d", all[1].ID)
			}},
		{"a reminder of what the person deleted", nil, func(_ *telegramtest.Server, u *telegramtest.User, id int64) { u.Delete(id) }, nil,
			func(where string, err error, u *telegramtest.User) bool { return err == nil && len(u.FromBot()) == 1 }},
		{"a reminder whose old message stays", nil, func(s *telegramtest.Server, u *telegramtest.User, _ int64) {
			s.FailNext("deleteMessage", 9, telegramtest.Fault{})
		}, nil, func(where string, err error, u *telegramtest.User) bool {
			return err == nil && len(u.FromBot()) == 2 && where == fmt.Sprintf("42.%d", u.Last().ID)
		}},
		{"a place of another chat", func(id int64) string { return fmt.Sprintf("43.%d", id) }, nil, silent,
			func(_ string, err error, u *telegramtest.User) bool { return err == nil && len(u.FromBot()) == 2 }},
		{"a place that is none", func(int64) string { return "what" }, nil, silent,
			func(_ string, err error, u *telegramtest.User) bool { return err == nil && len(u.FromBot()) == 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := telegramtest.New(t)
				ch, ann := channel(s), s.User(42, "ann")
				ann.Start("")
				first := shown()
				where, err := ch.Put(t.Context(), contact(42), first, "")
				if err != nil {
					t.Fatal(err)
				}
				if c.where != nil {
					where = c.where(ann.Last().ID)
				}
				if c.before != nil {
					c.before(s, ann, ann.Last().ID)
				}
				n := shown()
				n.Text += " Changed."
				if c.note != nil {
					c.note(n)
				}
				got, err := ch.Put(t.Context(), contact(42), n, where)
				if !c.want(got, err, ann) {
					t.Errorf("where %q, error %v, messages %+v", got, err, ann.FromBot())
				}
			})
		})
	}
}

func silent(n *notify.Note) { n.Alert = false }

func over(n *notify.Note) {
	n.Alert, n.Over, n.Text, n.Buttons = false, true, "Answered elsewhere.", nil
}

// TestMessages is what every message has, and what the lock screen shows.
func TestMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := telegramtest.New(t)
		c, ann := channel(s), s.User(42, "ann")
		ann.Start("")
		n := shown()
		n.Text, n.Buttons = "", []notify.Button{{Label: "Show the question", Data: "tok.s"}}
		where, err := c.Put(t.Context(), contact(42), n, "")
		if err != nil {
			t.Fatal(err)
		}
		full := shown()
		full.Alert = false
		if _, err := c.Put(t.Context(), contact(42), full, where); err != nil {
			t.Fatal(err)
		}
		for _, m := range ann.FromBot() {
			if !m.Protected || m.Preview {
				t.Errorf("protected %t, preview %t: %q", m.Protected, m.Preview, m.Text)
			}
		}
		if ann.Last().Text != full.Text {
			t.Errorf("the text came as %q", ann.Last().Text)
		}
		want := []telegramtest.Notification{{Text: "claude-code asks\nA question waits for you.", Sound: true, Message: ann.Last().ID}}
		if got := ann.Notifications(); !slices.Equal(got, want) {
			t.Errorf("the lock screen showed %+v, want %+v", got, want)
		}
	})
}

// TestPace holds the limits of Telegram by itself: the server refuses nothing.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := telegramtest.New(t)
		c := channel(s)
		const chats, each = 80, 3
		errs := make(chan error, chats*each)
		begin := time.Now()
		for i := range chats {
			s.User(int64(100+i), fmt.Sprint("user", i)).Start("")
			for range each {
				go func() {
					n := shown()
					_, err := c.Put(t.Context(), contact(int64(100+i)), n, "")
					errs <- err
				}()
			}
		}
		for range chats * each {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if r := s.Refusals(); r != nil {
			t.Errorf("refused: %q", r)
		}
		t.Logf("%d messages in %d chats took %s", chats*each, chats, time.Since(begin))
	})
}

// TestHold leaves a chat alone for as long as Telegram says, and no other.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := telegramtest.New(t)
		c := channel(s)
		s.User(42, "ann").Start("")
		s.User(43, "bob").Start("")
		s.FailNext("sendMessage", 1, telegramtest.Fault{Status: 429, Text: "Too Many Requests: retry after 30", RetryAfter: 30})
		begin := time.Now()
		for i := range 2 {
			_, err := c.Put(t.Context(), contact(42), shown(), "")
			var r *notify.RetryError
			if !errors.As(err, &r) || r.After < 29*time.Second {
				t.Fatalf("%d: %v", i, err)
			}
		}
		if n := len(s.Calls("sendMessage")); n != 0 {
			t.Errorf("%d calls reached the server after it said no", n)
		}
		if _, err := c.Put(t.Context(), contact(43), shown(), ""); err != nil || time.Since(begin) > 5*time.Second {
			t.Errorf("another chat: %v after %s", err, time.Since(begin))
		}
		<-time.After(30 * time.Second)
		if _, err := c.Put(t.Context(), contact(42), shown(), ""); err != nil {
			t.Error(err)
		}
	})
}

// TestAddress refuses a contact that has none.
func TestAddress(t *testing.T) {
	for _, a := range []string{``, `{}`, `{"chat":0}`, `{"chat":"42"}`, `[]`} {
		to := contact(42)
		to.Address = json.RawMessage(a)
		_, err := channel(telegramtest.New(t)).Put(t.Context(), to, shown(), "")
		var r *notify.RetryError
		if !errors.As(err, &r) || !r.Never {
			t.Errorf("%s: %v", a, err)
		}
	}
}
