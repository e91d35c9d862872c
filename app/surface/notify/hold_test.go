package notify

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// TestHeld: while somebody's answer is held nobody is told or reminded of the question.
// If it is taken back, the question is as new.
func TestHeld(t *testing.T) {
	by := sayso.Responder{Kind: sayso.ByPerson, Surface: "web"}
	hold := func(w *world, ask *hub.Ticket) *hub.Ticket {
		t.Helper()
		o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}, By: by}
		held, err := w.hub.Close(w.Context(), ask, o, &hub.CloseOptions{Hold: hub.MaxHold})
		if err != nil {
			t.Fatal(err)
		}
		return held
	}
	for name, undo := range map[string]bool{"counts": false, "taken back": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDevice(Limits{Buttons: 8, Text: 4000, Words: true})
				w := newWorld(t, map[Kind]Channel{Telegram: d})
				id := w.add(Telegram, 0, nil)
				held := hold(w, w.ask("a", nil))
				time.Sleep(25 * time.Second)
				w.expect(d, id, 0, 0)
				alerts := 0
				if undo {
					if _, err := w.hub.Undo(t.Context(), held, by); err != nil {
						t.Fatal(err)
					}
					alerts = 1
				}
				time.Sleep(time.Minute)
				w.expect(d, id, alerts, alerts)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // a reminder is due meanwhile
		d := newDevice(Limits{Buttons: 8, Text: 4000, Words: true})
		w := newWorld(t, map[Kind]Channel{Telegram: d})
		id := w.add(Telegram, 0, nil)
		ask := w.ask("a", nil)
		time.Sleep(10*time.Minute + 10*time.Second)
		w.expect(d, id, 1, 1)
		hold(w, ask)
		time.Sleep(25 * time.Second)
		w.expect(d, id, 1, 1)
		time.Sleep(10 * time.Second)
		w.expect(d, id, 1, 0)
	})
}
