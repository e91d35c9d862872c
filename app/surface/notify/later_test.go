package notify

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// What is snoozed is not told, and what stands is taken away, until the snooze ends.
func TestSnoozed(t *testing.T) {
	for _, chat := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := newDevice(Limits{Buttons: 8, Text: 4000, Words: true})
			d.chat = chat
			w := newWorld(t, map[Kind]Channel{Telegram: d})
			id := w.add(Telegram, 0, nil)
			ask := w.ask("a", nil)
			snooze := func(s *hub.Snooze) {
				t.Helper()
				if err := w.hub.Snooze(t.Context(), ask, "", s); err != nil {
					t.Fatal(err)
				}
			}
			snooze(&hub.Snooze{Until: time.Now().Add(time.Hour)})
			time.Sleep(59 * time.Minute)
			w.expect(d, id, 0, 0)
			time.Sleep(2 * time.Minute)
			w.expect(d, id, 1, 1)
			snooze(&hub.Snooze{Back: true})
			time.Sleep(5 * time.Second)
			w.expect(d, id, 1, 0)
			time.Sleep(5 * time.Hour)
			w.expect(d, id, 1, 0)
			if err := w.hub.Active(t.Context(), "home", ""); err != nil {
				t.Fatal(err)
			}
			time.Sleep(30 * time.Second)
			w.expect(d, id, 2, 1)
			w.answer(ask)
			time.Sleep(5 * time.Second)
			w.expect(d, id, 2, 0)
		})
	}
}

// What is delegated is told to the delegate, with the comment, and no longer to who
// delegated it.
func TestDelegated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(Limits{Buttons: 8, Text: 4000, Words: true})
		store := hub.NewMemory(nil)
		h, err := hub.Open(t.Context(), store, &hub.Options{Key: []byte("a key for these tests"), People: func(context.Context, string) ([]string, error) {
			return []string{"ann", "bea"}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{T: t, store: store, hub: h, chans: map[Kind]Channel{Telegram: d}}
		w.start()
		defer func() { w.n.Close(); h.Stop() }()
		to := map[string]string{}
		for _, name := range []string{"ann", "bea", "cat"} {
			id := w.add(Telegram, 0, func(c *Contact) { c.Person, c.Account, c.Detail = name, "acc-"+name, DetailText })
			to[name] = "home/" + name + strings.TrimPrefix(id, "home/")
		}
		ask := w.ask("a", func(a *sayso.Ask) { a.To = []string{"ann"} })
		time.Sleep(30 * time.Second)
		w.expect(d, to["ann"], 1, 1)
		w.expect(d, to["bea"], 0, 0)
		if _, err := h.Delegate(t.Context(), ask, "bea", "you know SQLite", sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		w.expect(d, to["bea"], 1, 1)
		w.expect(d, to["ann"], 1, 0)
		if note := d.waiting(to["bea"])[0]; !strings.Contains(note.Body, "ann delegated this to you: “you know SQLite”") || !strings.Contains(note.Text, "you know SQLite") {
			t.Errorf("the note says %q, %q", note.Body, note.Text)
		}
		time.Sleep(2 * time.Hour)
		w.expect(d, to["ann"], 1, 0)
		w.expect(d, to["cat"], 0, 0)
		o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}, By: sayso.Responder{Kind: sayso.ByPerson, ID: "bea"}}
		if _, err := h.Close(t.Context(), ask, o, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if n := len(d.waiting(to["bea"])); n != 0 {
			t.Errorf("%d notes stand", n)
		}
	})
}
