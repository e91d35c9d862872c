package natsstore_test

import (
	"fmt"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// TestSearchArchive finds what only the archive has.
func TestSearchArchive(t *testing.T) {
	store := newEngine(t).store(t, natsstore.Options{Shards: 2, Settled: 1})
	h, err := hub.Open(t.Context(), store, nil)
	must(t, err)
	t.Cleanup(h.Stop)
	for i := range 20 {
		a := &sayso.Ask{Questions: []sayso.Question{{Text: fmt.Sprintf("Paint wall %d?", i)}}}
		a.Normalize()
		ticket, err := h.Submit(t.Context(), "acme", a)
		must(t, err)
		if i%2 == 0 {
			o := &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}, Answers: []sayso.Answer{{QuestionID: "q1", Other: "yes"}}}
			_, err = h.Close(t.Context(), ticket, o, &hub.CloseOptions{Consumed: true})
			must(t, err)
		}
	}
	putAway(t, store)
	for view, want := range map[hub.View]int{hub.ViewClosed: 10, hub.ViewAll: 20, hub.ViewOpen: 10} {
		found, err := h.Search(t.Context(), "acme", "ann", &hub.Search{View: view, Text: "wall"})
		must(t, err)
		if len(found.Items) != want || found.Total != want {
			t.Errorf("%s: %d of %d are found, want %d", view, len(found.Items), found.Total, want)
		}
	}
}
