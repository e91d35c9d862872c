package doortest

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Opened waits for the next approval, and returns it with everything that it shows, as
// a surface does that opens what is stored beside it.
func (w *World) Opened() (*hub.Ticket, *sayso.Ask) {
	w.t.Helper()
	asked := w.Asked()
	if asked.Ask.Approval == nil {
		w.t.Fatalf("ask %s is no approval: %+v", asked.Handle, asked.Ask.Questions)
	}
	whole, _ := w.whole(asked)
	return asked, whole
}

func (w *World) whole(asked *hub.Ticket) (*sayso.Ask, []string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), Patience)
	defer cancel()
	whole, opened, err := hub.Whole(ctx, w.Hub(), asked)
	if err != nil {
		w.t.Fatalf("opening ask %s: %v", asked.Handle, err)
	}
	return whole, opened
}

// Decide answers an approval from the inbox: the id of an offer, and perhaps words for
// the model or a changed input.
func (w *World) Decide(asked *hub.Ticket, offer, words, input string) {
	w.t.Helper()
	_, opened := w.whole(asked)
	a := sayso.Answer{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}, Note: words, Input: input, Opened: opened}
	ctx, cancel := context.WithTimeout(w.t.Context(), Patience)
	defer cancel()
	if _, err := w.Hub().Answer(ctx, asked, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{a}}); err != nil {
		var offers []string
		for _, o := range asked.Ask.Approval.Offers {
			offers = append(offers, o.ID)
		}
		w.t.Fatalf("deciding ask %s with %s of %q: %v", asked.Handle, offer, offers, err)
	}
}

// Offers returns the ids of the decisions that the agent can carry out.
func Offers(asked *hub.Ticket) []string {
	var ids []string
	for _, o := range asked.Ask.Approval.Offers {
		ids = append(ids, o.ID)
	}
	slices.Sort(ids)
	return ids
}

// InProject returns what is in a file of the project, or "" if there is none.
func (w *World) InProject(name string) string {
	b, err := os.ReadFile(filepath.Join(w.Project, name))
	if err != nil {
		return ""
	}
	return string(b)
}
