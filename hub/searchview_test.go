package hub_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// TestSearchViews puts asks off, gives them to somebody else and answers them with a
// hold, and looks where they are for each person.
func TestSearchViews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := func(context.Context, string) ([]string, error) { return []string{"ada", "bob"}, nil }
		h := searchHub(t, hub.NewMemory(nil), &hub.Options{People: known})
		desk := func(id string) hub.Desk {
			return h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: id, Surface: "test"}).(hub.Desk)
		}
		ada, bob := desk("ada"), desk("bob")
		var all []*hub.Ticket
		for _, text := range []string{"plain", "snoozed", "given", "held"} {
			all = append(all, submitText(t, h, text, func(a *sayso.Ask) { a.To = []string{"ada"} }))
			time.Sleep(time.Second)
		}
		where := func(what string, d hub.Desk, view hub.View, want ...string) {
			t.Helper()
			synctest.Wait()
			f, err := d.Search(t.Context(), &hub.Search{View: view})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(texts(f), want) || f.Total != len(want) {
				t.Errorf("%s: %s has %q of %d, want %q", what, view, texts(f), f.Total, want)
			}
			if view == hub.ViewOpen && f.Waiting != len(want) {
				t.Errorf("%s: %d wait, want %d", what, f.Waiting, len(want))
			}
			for _, it := range f.Items {
				if snoozed := it.Ask.Questions[0].Text == "snoozed"; (it.Snoozed != nil) != (snoozed && view != hub.ViewOpen) {
					t.Errorf("%s: %s is snoozed: %v", what, it.Ask.Questions[0].Text, it.Snoozed)
				}
			}
		}
		where("at first", ada, hub.ViewOpen, "plain", "snoozed", "given", "held")
		if err := ada.Snooze(t.Context(), all[1], &hub.Snooze{Until: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if _, err := ada.Delegate(t.Context(), all[2], "bob", "you know it"); err != nil {
			t.Fatal(err)
		}
		_, err := ada.Hold(t.Context(), all[3], &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}, Note: "mistletoe"}}}, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		where("put off", ada, hub.ViewOpen, "plain")
		where("put off", ada, hub.ViewLater, "snoozed", "given")
		where("put off", ada, hub.ViewClosed)
		where("put off", ada, hub.ViewAll, "held", "given", "snoozed", "plain")
		where("given", bob, hub.ViewOpen, "given")
		where("given", bob, hub.ViewLater)
		where("given", bob, hub.ViewAll, "given")
		if f, err := ada.Search(t.Context(), &hub.Search{View: hub.ViewAll, Text: "mistletoe"}); err != nil || f.Total != 0 {
			t.Errorf("an answer that may be taken back is found by its words: %v, %v", f, err)
		}
		time.Sleep(11 * time.Second)
		where("after the hold", ada, hub.ViewClosed, "held")
		if f, err := ada.Search(t.Context(), &hub.Search{View: hub.ViewAll, Text: "mistletoe"}); err != nil || f.Total != 1 {
			t.Errorf("an answer that counts is not found: %v, %v", f, err)
		}
		time.Sleep(time.Hour)
		where("after the snooze", ada, hub.ViewOpen, "plain", "snoozed")
		where("after the snooze", ada, hub.ViewLater, "given")
	})
}

// TestSearchCountsForgotten does not count what the store has just forgotten.
func TestSearchCountsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := searchHub(t, hub.NewMemory(nil), &hub.Options{Keep: 3580 * time.Second, KeepUnconsumed: 3580 * time.Second})
		for range 3 {
			answer(t, h, submitText(t, h, "old", nil), "ada", "")
		}
		time.Sleep(30 * time.Second)
		answer(t, h, submitText(t, h, "new", nil), "ada", "")
		s := hub.Search{View: hub.ViewAll, Limit: 1}
		for range 118 {
			time.Sleep(30 * time.Second)
			if got := search(t, h, "", s); got.Total != 4 {
				t.Fatalf("the total is %d, want 4", got.Total)
			}
		}
		time.Sleep(15 * time.Second)
		if got := search(t, h, "", s); got.Total != 1 {
			t.Errorf("the total is %d, want 1", got.Total)
		}
	})
}
