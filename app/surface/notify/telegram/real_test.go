package telegram_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/notifytest"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
	"github.com/saysohq/sayso/hub"
)

// real is a hub with the real notifier and a Bot API, in a bubble.
type real struct {
	*testing.T
	s *telegramtest.Server
	h *hub.Hub
	n *notify.Notifier
}

func withReal(t *testing.T, fn func(*real)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		h, err := hub.Open(t.Context(), store, &hub.Options{Key: []byte("a key for these tests")})
		must(t, err)
		t.Cleanup(h.Stop)
		r := &real{T: t, s: telegramtest.New(t), h: h}
		r.n = notify.Start(h, store, &notify.Options{
			Node: "n1", Alone: true, Channels: map[notify.Kind]notify.Channel{notify.Telegram: channel(r.s)}, Wait: -1, URL: address,
		})
		t.Cleanup(r.n.Close)
		fn(r)
	})
}

// link links an account with a code, as people do.
func (r *real) link(id int64, person string, d notify.Detail) *telegramtest.User {
	r.Helper()
	u := r.s.User(id, person)
	code, err := r.n.NewCode(r.Context(), "home", person, notify.Telegram, &notify.Contact{Detail: d, After: -1})
	must(r, err)
	u.Start(code)
	soon()
	if !strings.HasPrefix(u.Last().Text, "Linked.") {
		r.Fatalf("linking: %q", u.Last().Text)
	}
	return u
}

// ask asks which database to use, and lets the answer come to nobody.
func (r *real) ask(id, to string, change func(*sayso.Ask)) *hub.Ticket {
	r.Helper()
	a := &sayso.Ask{ID: id, To: []string{to}, Origin: sayso.Origin{Conversation: "talk " + id, Host: "some-agent"}, Questions: []sayso.Question{{
		Text: "Which database, " + id + "?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
	}}}
	if change != nil {
		change(a)
	}
	a.Normalize()
	t, err := r.h.Submit(r.Context(), "home", a)
	must(r, err)
	soon()
	return t
}

func (r *real) now(t *hub.Ticket) *hub.Ticket {
	r.Helper()
	now, err := r.h.Get(r.Context(), t.Address)
	must(r, err)
	return now
}

// message is the message about an open ask.
func (r *real) message(u *telegramtest.User, t *hub.Ticket) telegramtest.Message {
	r.Helper()
	for _, m := range u.FromBot() {
		if slices.ContainsFunc(slices.Concat(m.Buttons...), func(b telegramtest.Button) bool { return b.URL == address(r.h.Handle(t.Address)) }) {
			return m
		}
	}
	r.Fatalf("no message is about %s: %+v", t.Ask.ID, u.FromBot())
	return telegramtest.Message{}
}

// elsewhere answers an ask on the web.
func (r *real) elsewhere(t *hub.Ticket) {
	r.Helper()
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"}}
	_, err := r.h.Close(r.Context(), t, o, nil)
	must(r, err)
	soon()
}

// TestConversation is the whole way: link, show, answer, undo, own words, an answer
// elsewhere, a deadline that passes, and a person who blocks the bot.
func TestConversation(t *testing.T) {
	withReal(t, func(r *real) {
		ann := r.link(42, "ann", notify.DetailSender)
		one := r.ask("one", "ann", nil)
		m := r.message(ann, one)
		if m.Text != "some-agent asks\nA question waits for you." {
			t.Errorf("the first message says %q", m.Text)
		}
		ann.Press(m.ID, "Show the question")
		soon()
		if m = r.message(ann, one); !strings.Contains(m.Text, "Which database, one?") || len(m.Edits) != 1 {
			t.Errorf("the question is shown as %q", m.Text)
		}
		ann.Press(m.ID, "2. SQLite")
		soon()
		now := r.now(one)
		if got, _ := now.Outcome.Answer("q1"); !slices.Equal(got.Selected, []string{"o2"}) {
			t.Fatalf("stored %+v", now.Outcome)
		}
		if by := now.Outcome.By; by.ID != "ann" || by.Surface != "telegram" || by.Assurance != sayso.AssuranceKey {
			t.Errorf("answered by %+v", by)
		}
		toasts := ann.Toasts()
		if last := toasts[len(toasts)-1]; last.Text != "Sent: SQLite." || last.Alert {
			t.Errorf("the app showed %+v", last)
		}
		if done := ann.FromBot()[1]; !strings.Contains(done.Text, "SQLite") || !slices.Equal(done.Labels(), []string{"Undo"}) {
			t.Errorf("the message says %q with %q", done.Text, done.Labels())
		}
		ann.Press(m.ID, "Undo")
		soon()
		if !r.now(one).Open() {
			t.Fatal("undo did nothing")
		}
		again := r.message(ann, one)
		ann.PressData(again.ID, m.Buttons[1][0].Data) // of the message as it was before
		soon()
		if !r.now(one).Open() {
			t.Fatal("a press of what was taken back answers again")
		}
		ann.Press(again.ID, "Own words…")
		soon()
		prompt := ann.Last()
		if !prompt.ForceReply || prompt.ReplyTo != again.ID || strings.Contains(prompt.Text, "database") {
			t.Errorf("own words are asked for with %+v", prompt)
		}
		ann.Reply(prompt.ID, "DuckDB, <b>please</b>")
		soon()
		if got, _ := r.now(one).Outcome.Answer("q1"); got.Other != "DuckDB, <b>please</b>" {
			t.Errorf("stored %+v", got)
		}

		two := r.ask("two", "ann", nil)
		m = r.message(ann, two)
		r.elsewhere(two)
		ann.PressData(m.ID, strings.Replace(m.Buttons[0][0].Data, ".s", ".1", 1))
		soon()
		for _, over := range ann.FromBot() {
			if over.ID == m.ID && (!strings.Contains(over.Text, "Answered in the web inbox by ann.") || !slices.Equal(over.Labels(), []string{"Undo"})) {
				t.Errorf("the message says %q with %q", over.Text, over.Labels())
			}
		}
		if got, _ := r.now(two).Outcome.Answer("q1"); !slices.Equal(got.Selected, []string{"o1"}) {
			t.Errorf("stored %+v", got)
		}

		<-time.After(time.Hour)
		ann.Block()
		r.ask("three", "ann", nil)
		soon()
		if all, err := r.n.Contacts(t.Context(), "home", "ann"); err != nil || len(all) != 1 || !all[0].Off {
			t.Errorf("the contact of a person who blocked the bot is %+v, %v", all, err)
		}
		for _, n := range ann.Notifications() {
			if strings.Contains(n.Text, "database") {
				t.Errorf("the lock screen showed %q", n.Text)
			}
		}
	})
}

// TestBound: a press on a message as it was is not a press on what it shows now.
func TestBound(t *testing.T) {
	withReal(t, func(r *real) {
		ann := r.link(42, "ann", notify.DetailText)
		for i := range 3 {
			r.ask(fmt.Sprint("before", i), "ann", nil)
		}
		// From now on asks are put together in one message.
		first := r.ask("first", "ann", nil)
		m := r.message(ann, first)
		data := m.Buttons[0][0].Data
		second := r.ask("second", "ann", nil)
		r.elsewhere(first)
		if got := r.message(ann, second); got.ID != m.ID || !strings.Contains(got.Text, "Which database, second?") {
			t.Fatalf("the message shows %q", got.Text)
		}
		ann.PressData(m.ID, data)
		soon()
		if now := r.now(second); !now.Open() {
			t.Errorf("a press meant for the first ask answered the second: %+v", now.Outcome.Answers)
		}
	})
}

// TestHostile puts hostile texts through the channel.
func TestHostile(t *testing.T) {
	s := telegramtest.New(t)
	s.Relax()
	u := s.User(42, "ann")
	u.Start("")
	calls, heard := 0, 0
	c := quick(s)
	to := *contact(42)
	to.Tenant, to.Assurance = "home", sayso.AssuranceKey
	notifytest.Run(t, &notifytest.Target{
		Channel: c, Contact: to,
		Clear: func() {
			for _, m := range u.Messages() {
				u.Delete(m.ID)
			}
		},
		Seen: func() notifytest.View {
			var v notifytest.View
			for _, n := range u.Notifications()[heard:] {
				v.Lock = append(v.Lock, n.Text)
			}
			heard = len(u.Notifications()) // edits do not notify
			for _, m := range u.FromBot() {
				v.Unlocked = append(append(v.Unlocked, m.Text), m.Labels()...)
				v.Buttons = len(m.Labels())
				for _, b := range slices.Concat(m.Buttons...) {
					if b.URL != "" {
						v.Links = append(v.Links, b.URL)
					}
				}
			}
			all := s.Calls("")
			for _, call := range all[calls:] {
				v.Wire = append(v.Wire, strings.Join(texts(t, call.Body), "\n")...)
			}
			calls = len(all)
			return v
		},
		// Telegram formats what a parse mode or entities say. The server refuses
		// both, so nothing of it can have come.
		Active: func(notifytest.View) []string {
			return slices.DeleteFunc(s.Refusals(), func(r string) bool { return strings.Contains(r, "message is not modified") })
		},
	})
}

// texts are all strings in a JSON text.
func texts(t *testing.T, data []byte) (all []string) {
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if err != nil {
			return all
		}
		if s, ok := token.(string); ok {
			all = append(all, s)
		}
	}
}
