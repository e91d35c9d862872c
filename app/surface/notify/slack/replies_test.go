package slack_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
)

// shown puts a question and returns its message.
func shown(t *testing.T, s *slacktest.Server, c *slack.Channel) slacktest.Message {
	t.Helper()
	if _, err := c.Put(t.Context(), ann(), question(), ""); err != nil {
		t.Fatal(err)
	}
	return s.Messages(slacktest.Ann)[0]
}

func TestPress(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	listen(t, s, c, d)
	m := shown(t, s, c)
	if reply := s.Press(slacktest.Ann, m, "SQLite").Wait(); len(reply) > 0 {
		t.Errorf("the acknowledgement says %s", reply)
	}
	if got := d.came(); len(got) != 1 || got[0] != account+" press tok.1" {
		t.Errorf("the desk got %q", got)
	}
	s.Press(slacktest.Ann, m, "Open in the inbox").Wait()
	if n := len(d.came()); n != 1 {
		t.Error("a button that opens a page reached the desk")
	}
	if told := s.Told(slacktest.Ann); len(told) > 0 {
		t.Errorf("the message says it, and so did %q", told)
	}
	// A refusal is told to who pressed.
	s.PressAs(slacktest.Press{User: slacktest.Bob, Message: m, Button: m.Buttons[0], Channel: "D0BOB"}).Wait()
	eventually(t, "the refusal is told", func() bool { return len(s.Told(slacktest.Bob)) == 1 })
	if told := s.Told(slacktest.Bob)[0]; told != "This account is not linked." {
		t.Errorf("told %q", told)
	}
}

func TestOwnWords(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	listen(t, s, c, d)
	m := shown(t, s, c)
	s.Press(slacktest.Ann, m, "Own words").Wait()
	v := s.View(slacktest.Ann)
	if v == nil || !strings.Contains(v.Shown, "Which <database> & *why*? :tada:") {
		t.Fatalf("the form is %+v", v)
	}
	text := "  DuckDB & <!channel>\n\n*really* \t🎉 "
	s.Submit(slacktest.Ann, text).Wait()
	if got := d.words["tok"]; got != text {
		t.Errorf("the desk got %q, not %q", got, text)
	}
	if s.View(slacktest.Ann) != nil {
		t.Error("the form is still open")
	}

	// A refusal leaves the form open, with the text.
	s.Press(slacktest.Ann, m, "Own words").Wait()
	d.mu.Lock()
	d.valid["tok.w"] = false
	d.mu.Unlock()
	s.SubmitAs(slacktest.Ann, slacktest.Team, "old", "too late").Wait()
	reply := s.SubmitAs(slacktest.Ann, slacktest.Team, "old", "too late").Wait()
	if want := `{"errors":{"words":"The question was answered in the terminal."},"response_action":"errors"}`; string(reply) != want {
		t.Errorf("the refusal is %s", reply)
	}
	if s.View(slacktest.Ann) == nil {
		t.Error("the form closed, and what was typed is gone")
	}
}

// TestLateTrigger says so when the form could not be opened in time.
func TestLateTrigger(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	c.SetStep(func(step string) {
		if step == "arrived" {
			s.Advance(4 * time.Second)
		}
	})
	listen(t, s, c, d)
	s.Press(slacktest.Ann, shown(t, s, c), "Own words").Wait()
	eventually(t, "told", func() bool { return len(s.Told(slacktest.Ann)) > 0 })
	if told := s.Told(slacktest.Ann)[0]; !strings.Contains(told, "Press the button again") {
		t.Errorf("told %q", told)
	}
}

func TestLink(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	listen(t, s, c, d)
	for text, want := range map[string]string{
		"":            "send /sayso and a code",
		"two words":   "send /sayso and a code",
		"BAD-CODE":    "This code is not good, or no longer. Make a new one <there>.",
		" GOOD-CODE ": "Linked.",
	} {
		s.Slash(slacktest.Ann, text).Wait()
		told := s.Told(slacktest.Ann)
		if got := told[len(told)-1]; !strings.Contains(got, want) {
			t.Errorf("/sayso %s: told %q", text, got)
		}
	}
	got := d.links["GOOD-CODE"]
	if got == nil || got.Account != account || got.Kind != notify.Slack || got.Name != "Slack, Acme" || got.Assurance != 1 {
		t.Fatalf("linked %+v", got)
	}
	if _, err := c.Put(t.Context(), got, question(), ""); err != nil {
		t.Errorf("the contact that was linked cannot be told: %v", err)
	}
	s.SlashAs(slacktest.Ann, "T0OTHER", "GOOD-CODE").Wait()
	for _, call := range d.came() {
		if strings.Contains(call, "T0OTHER") {
			t.Errorf("from another workspace: %s", call)
		}
	}
}

// TestRepeated sends envelopes several times, and cuts the connection in between.
func TestRepeated(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	listen(t, s, c, d)
	m := shown(t, s, c)
	for range 3 {
		s.PressAs(slacktest.Press{User: slacktest.Ann, Message: m, Button: m.Buttons[0], Envelope: "env-again"}).Wait()
	}
	if got := d.came(); len(got) != 1 {
		t.Errorf("an envelope that came three times reached the desk as %q", got)
	}
	for _, end := range []func(){s.Cut, func() { s.Disconnect("refresh_requested") }, func() { s.Disconnect("warning") }} {
		end()
		s.Press(slacktest.Ann, m, "SQLite").Wait() // on the next connection, if need be
	}
	if got := d.did(); len(got) != 2 {
		t.Errorf("done: %q", got)
	}
}

// TestNotTaken leaves unacknowledged what the desk could not take, and it comes again.
func TestNotTaken(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	listen(t, s, c, d)
	d.failing = 2
	p := s.Press(slacktest.Ann, shown(t, s, c), "SQLite")
	for tries := 1; tries <= 2; tries++ {
		eventually(t, "the desk failed", func() bool { return len(d.came()) == tries })
		s.Slash(slacktest.Bob, "").Wait() // by now an acknowledgement before it has been read
		if p.Acked() {
			t.Fatal("acknowledged, although the desk did not take it")
		}
		s.Advance(3100 * time.Millisecond)
		if tries == 1 && !p.Warned() {
			t.Error("the person sees no warning")
		}
	}
	p.Wait()
	if got := d.did(); len(got) != 1 {
		t.Errorf("done: %q", got)
	}
}

// TestOrder takes what one person does in its order, although the first takes longer.
func TestOrder(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	slow := make(chan struct{})
	first := true
	c.SetStep(func(step string) {
		if step == "arrived" && first {
			first = false
			<-slow
		}
	})
	listen(t, s, c, d)
	m := shown(t, s, c)
	one := s.Press(slacktest.Ann, m, "PostgreSQL")
	two := s.Press(slacktest.Ann, m, "SQLite")
	s.Slash(slacktest.Bob, "").Wait() // others do not wait
	close(slow)
	one.Wait()
	two.Wait()
	if got := d.did(); len(got) != 2 || got[0] != "tok.0" || got[1] != "tok.1" {
		t.Errorf("done in the order %q", got)
	}
}

// TestDead notices a connection that is dead without a word.
func TestDead(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	c.SetBeat(50 * time.Millisecond)
	listen(t, s, c, d)
	s.Hang()
	eventually(t, "it connects anew", func() bool { return s.Connections() > 1 })
	s.Press(slacktest.Ann, shown(t, s, c), "SQLite").Wait()
}

// TestRefused ends with a clear error where it is of no use to go on.
func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare func(*slacktest.Server)
		want    string
	}{
		"app token":   {func(s *slacktest.Server) { s.Revoke(slacktest.AppToken) }, "apps.connections.open: token_revoked: the token was revoked; install the app again"},
		"bot token":   {func(s *slacktest.Server) { s.Revoke(slacktest.BotToken) }, "auth.test: token_revoked"},
		"socket mode": {func(s *slacktest.Server) { s.Fail("apps.connections.open", "link_disabled") }, "Socket Mode is switched off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := slacktest.New(t)
			tt.prepare(s)
			err := slack.New(options(s)).Replies(t.Context(), newDesk())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("switched off later", func(t *testing.T) {
		s := slacktest.New(t)
		done := make(chan error, 1)
		go func() { done <- slack.New(options(s)).Replies(t.Context(), newDesk()) }()
		eventually(t, "connected", func() bool { return s.Connections() == 1 })
		s.Disconnect("link_disabled")
		if err := <-done; err == nil || !strings.Contains(err.Error(), "Socket Mode is switched off") {
			t.Errorf("got %v", err)
		}
	})
}

// TestOrphan changes a message that was answered and that nobody knows of any more.
func TestOrphan(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	c.SetWait(10 * time.Millisecond)
	listen(t, s, c, d)
	s.Press(slacktest.Ann, shown(t, s, slack.New(options(s))), "SQLite").Wait() // another process sent it
	eventually(t, "the message says so", func() bool {
		m := s.Messages(slacktest.Ann)[0]
		return m.Shown == "Sent." && len(m.Buttons) == 0
	})
}

// TestOnlyReplies connects nowhere else: the process that does not lead only sends.
func TestOnlyReplies(t *testing.T) {
	s := slacktest.New(t)
	c := slack.New(options(s))
	shown(t, s, c)
	if _, _, err := slack.Check(t.Context(), options(s)); err != nil {
		t.Fatal(err)
	}
	if n := s.Connections(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// TestShared shows why only one process may connect: connections share the presses.
func TestShared(t *testing.T) {
	s := slacktest.New(t)
	one, two := newDesk(), newDesk()
	c := slack.New(options(s))
	listen(t, s, c, one)
	listen(t, s, slack.New(options(s)), two)
	m := shown(t, s, c)
	for range 20 {
		s.Press(slacktest.Ann, m, "SQLite").Wait()
	}
	if a, b := len(one.came()), len(two.came()); a == 0 || b == 0 || a+b != 20 {
		t.Errorf("%d and %d presses", a, b)
	}
}

// TestStops ends without a trace.
func TestStops(t *testing.T) {
	s := slacktest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- slack.New(options(s)).Replies(ctx, newDesk()) }()
	eventually(t, "connected", func() bool { return s.Connections() == 1 })
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("got %v", err)
	}
}
