package ntfy_test

import (
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/ntfy"
	"github.com/saysohq/sayso/app/surface/notify/ntfytest"
	"github.com/saysohq/sayso/hub"
)

// A question is told, answered on the phone, and withdrawn: with the hub and the
// notifier as they are.
func TestAnswered(t *testing.T) {
	s := ntfytest.New(t)
	s.Deny()
	s.Allow("tk_hub", "ask", "w")
	s.Allow("tk_hub", "back", "r")
	s.Allow("", "back", "w")
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, &hub.Options{Key: []byte("a key for these tests")})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	allow := []string{"127.0.0.1"}
	c := ntfy.New(&ntfy.Options{Client: outbound.Client(&outbound.Options{Allow: allow}), Stream: outbound.Client(&outbound.Options{Allow: allow, Stream: true}), Ready: time.Minute})
	n := notify.Start(h, store, &notify.Options{Node: "a", Alone: true, Wait: -1, Channels: map[notify.Kind]notify.Channel{notify.Ntfy: c}})
	defer n.Close()
	a := &ntfy.Address{Server: s.URL(), Topic: "ask", Token: "tk_hub", Answers: "back"}
	to := &notify.Contact{Tenant: "home", Detail: notify.DetailText}
	if err := a.Fill(to); err != nil {
		t.Fatal(err)
	}
	if to, err = n.Add(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	test, err := n.Test(t.Context(), "home", "", to.ID)
	if err != nil || test.Error != "" {
		t.Fatal(test, err)
	}
	shown := s.Shown("ask")
	if len(shown) != 1 || len(shown[0].Actions) != 1 {
		t.Fatalf("the test: %+v", shown)
	}
	s.Press(shown[0].Actions[0])
	eventually(t, "the test is confirmed", func() bool {
		all, err := n.Contacts(t.Context(), "home", "")
		return err == nil && len(all) == 1 && !all[0].Confirmed.IsZero()
	})
	s.Clear()

	ask := &sayso.Ask{ID: "a", Origin: sayso.Origin{Host: "some-agent"}, Questions: []sayso.Question{{Text: "Which database?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}}}}}
	ask.Normalize()
	ticket, err := h.Submit(t.Context(), "home", ask)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is told", func() bool { return len(s.Shown("ask")) == 1 })
	m := s.Shown("ask")[0]
	if len(m.Actions) < 2 || m.Actions[1].Label != "2. SQLite" {
		t.Fatalf("%+v", m.Actions)
	}
	// Somebody who guesses answers nothing.
	forged := m.Actions[1]
	forged.Body = "aaaaaaaaaaaaaaaaaaaaaaaaaa.1"
	s.Press(forged)
	s.Press(m.Actions[1])
	s.Press(m.Actions[0]) // too late
	eventually(t, "it is answered", func() bool {
		now, err := h.Get(t.Context(), ticket.Address)
		return err == nil && !now.Open()
	})
	now, err := h.Get(t.Context(), ticket.Address)
	if err != nil {
		t.Fatal(err)
	}
	if o := now.Outcome; o.Status != sayso.StatusAnswered || len(o.Answers) != 1 || len(o.Answers[0].Selected) != 1 || o.Answers[0].Selected[0] != "o2" || o.By.Surface != "ntfy" || o.By.Assurance != sayso.AssuranceKey {
		t.Errorf("%+v", o)
	}
	eventually(t, "it is withdrawn", func() bool {
		for _, m := range s.Shown("ask") {
			if m.Sequence != "reply" {
				return false
			}
		}
		return true
	})
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("never: %s", what)
		}
	}
}
