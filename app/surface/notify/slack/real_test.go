package slack_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
	"github.com/saysohq/sayso/hub"
)

// real is a hub with the real notifier and a Slack.
type real struct {
	t *testing.T
	s *slacktest.Server
	h *hub.Hub
	n *notify.Notifier
}

func newReal(t *testing.T) *real {
	s := slacktest.New(t)
	return newRealAt(t, s, slack.New(options(s)))
}

func newRealAt(t *testing.T, s *slacktest.Server, c *slack.Channel) *real {
	t.Helper()
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, &hub.Options{Key: []byte("a key for these tests")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	r := &real{t: t, s: s, h: h}
	r.n = notify.Start(h, store, &notify.Options{Node: "n1", Alone: true, Wait: -1, URL: address,
		Channels: map[notify.Kind]notify.Channel{notify.Slack: c}})
	t.Cleanup(r.n.Close)
	eventually(t, "connected", func() bool { return r.s.Connections() == 1 })
	return r
}

func address(handle string) string { return "https://hub.example/ask/" + handle }

// link links an account with a code, as people do.
func (r *real) link(user, person string) {
	r.t.Helper()
	code, err := r.n.NewCode(r.t.Context(), "home", person, notify.Slack, &notify.Contact{Detail: notify.DetailSender, After: -1})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.n.SetPrefs(r.t.Context(), "home", person, func(p *notify.Prefs) { p.Shared = true }); err != nil {
		r.t.Fatal(err)
	}
	r.s.Slash(user, code).Wait()
	if told := r.s.Told(user); !strings.HasPrefix(told[len(told)-1], "Linked.") {
		r.t.Fatalf("linking: %q", told)
	}
}

// ask asks which database to use.
func (r *real) ask(id string, change func(*sayso.Ask)) *hub.Ticket {
	r.t.Helper()
	a := &sayso.Ask{ID: id, Origin: sayso.Origin{Conversation: id, Host: "some-agent"}, Questions: []sayso.Question{{
		Text: "Which database, " + id + "?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
	}}}
	if change != nil {
		change(a)
	}
	a.Normalize()
	t, err := r.h.Submit(r.t.Context(), "home", a)
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

// message waits for the message about an ask.
func (r *real) message(user, text string) slacktest.Message {
	r.t.Helper()
	var m slacktest.Message
	eventually(r.t, "a message with "+text, func() bool {
		all := r.s.Messages(user)
		i := slices.IndexFunc(all, func(m slacktest.Message) bool { return strings.Contains(m.Shown, text) })
		if i >= 0 {
			m = all[i]
		}
		return i >= 0
	})
	return m
}

func (r *real) now(t *hub.Ticket) *hub.Ticket {
	r.t.Helper()
	now, err := r.h.Get(r.t.Context(), t.Address)
	if err != nil {
		r.t.Fatal(err)
	}
	return now
}

// TestConversation is the whole way: link, answer, undo, own words, an answer elsewhere,
// and what can be answered in the inbox only.
func TestConversation(t *testing.T) {
	r := newReal(t)
	r.link(slacktest.Ann, "ann")
	ask := r.ask("one", nil)
	m := r.message(slacktest.Ann, "Which database, one?")
	if lock := r.s.LockScreen(slacktest.Ann); strings.Contains(lock[0], "database") || !strings.Contains(lock[0], "some-agent asks") {
		t.Errorf("the lock screen shows %q", lock)
	}
	r.s.Press(slacktest.Ann, m, "SQLite").Wait()
	now := r.now(ask)
	if now.Open() || now.Outcome.By.Surface != "slack" || now.Outcome.By.ID != "ann" || now.Outcome.By.Assurance != sayso.AssuranceKey {
		t.Fatalf("stored %+v", now.Outcome)
	}
	done := r.message(slacktest.Ann, "Answered in Slack by ann.")
	if !strings.Contains(done.Shown, "SQLite") || done.TS != m.TS {
		t.Errorf("the message says %q", done.Shown)
	}
	r.s.Press(slacktest.Ann, done, "Undo").Wait()
	if !r.now(ask).Open() {
		t.Fatal("undo did nothing")
	}
	m = r.message(slacktest.Ann, "Asked by: unverified")
	r.s.Press(slacktest.Ann, m, "Own words").Wait()
	if v := r.s.View(slacktest.Ann); v == nil || !strings.Contains(v.Shown, "Which database, one?") {
		t.Fatalf("the form is %+v", v)
	}
	r.s.Submit(slacktest.Ann, "DuckDB, <b>please</b>").Wait()
	if got, _ := r.now(ask).Outcome.Answer("q1"); got.Other != "DuckDB, <b>please</b>" {
		t.Errorf("stored %+v", got)
	}

	// Answered elsewhere while the form is open: the form says so and keeps the text.
	two := r.ask("two", nil)
	m = r.message(slacktest.Ann, "Which database, two?")
	r.s.Press(slacktest.Ann, m, "Own words").Wait()
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}, By: sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "web"}}
	if _, err := r.h.Close(t.Context(), two, o, nil); err != nil {
		t.Fatal(err)
	}
	over := r.message(slacktest.Ann, "Answered in the web inbox by bob.")
	if len(over.Buttons) != 0 || over.TS != m.TS {
		t.Errorf("the message is %+v", over)
	}
	r.s.Submit(slacktest.Ann, "too late").Wait()
	if v := r.s.View(slacktest.Ann); v == nil || !strings.Contains(v.Errors["words"], "by bob") || v.Typed != "too late" {
		t.Errorf("the form is %+v", v)
	}

	// Only by link.
	r.ask("three", func(a *sayso.Ask) { a.MinAssurance = sayso.AssuranceLogin })
	m = r.message(slacktest.Ann, "Which database, three?")
	for _, b := range m.Buttons {
		if b.Value != "" && !strings.HasPrefix(b.Label, "Mute") {
			t.Errorf("a question that needs a login has the button %q", b.Label)
		}
	}
	if b, ok := m.Button("Open in the inbox"); !ok || !strings.HasPrefix(b.URL, "https://hub.example/ask/") {
		t.Errorf("the buttons are %+v", m.Buttons)
	}
	for _, w := range r.s.Wrong() {
		t.Errorf("Slack does not allow: %s", w)
	}
}

// TestTwice presses a button twice, as nervous fingers do: the message says how it was
// answered and still has Undo.
func TestTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slacktest.New(t)
		url, client := s.Inside()
		r := newRealAt(t, s, slack.New(&slack.Options{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, API: url, Client: client}))
		r.link(slacktest.Ann, "ann")
		r.ask("one", nil)
		m := r.message(slacktest.Ann, "Which database, one?")
		for range 3 {
			s.Press(slacktest.Ann, m, "SQLite").Wait()
			soon()
		}
		m = r.message(slacktest.Ann, "Answered in Slack by ann.")
		if _, ok := m.Button("Undo"); !ok {
			t.Errorf("the message is %+v", m)
		}
	})
}
