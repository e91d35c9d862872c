package hub

import (
	"fmt"
	"slices"
	"testing"

	"github.com/saysohq/sayso"
)

// TestCandidates looks for earlier answers by words and by digest, within what may be
// seen.
func TestCandidates(t *testing.T) {
	h, err := Open(t.Context(), NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	ask := func(text, workspace string, answered bool) *Ticket {
		a := &sayso.Ask{Questions: []sayso.Question{{Text: text}}, Origin: sayso.Origin{Workspace: workspace}}
		a.Normalize()
		one, err := h.Submit(t.Context(), "acme", a)
		if err != nil {
			t.Fatal(err)
		}
		if answered {
			one, err = h.Close(t.Context(), one, &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson}, Answers: []sayso.Answer{{QuestionID: "q1", Other: "yes"}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
		}
		return one
	}
	for i := range 30 {
		ask(fmt.Sprintf("Should the agent do number %d?", i), "shop", true)
	}
	ask("Should the agent migrate the billing database?", "billing", true)
	ask("Migrate billing?", "billing", false)
	same := ask("Should the agent migrate billing?", "shop", true)
	self := ask("Should the agent migrate billing?", "shop", true)
	find := func(l like) (got []string) {
		all, err := h.candidates(t.Context(), "acme", &l)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			got = append(got, one.Ask.Questions[0].Text)
		}
		return got
	}
	words := []string{"Should the agent migrate billing?"}
	if got, want := find(like{texts: words, n: 2, not: self.Address}), []string{"Should the agent migrate billing?", "Should the agent migrate the billing database?"}; !slices.Equal(got, want) {
		t.Errorf("by words: got %q, want %q", got, want)
	}
	if got, want := find(like{digest: same.Digest, not: self.Address}), []string{"Should the agent migrate billing?"}; !slices.Equal(got, want) {
		t.Errorf("by digest: got %q, want %q", got, want)
	}
	if got, want := find(like{texts: words, workspace: "billing"}), []string{"Should the agent migrate the billing database?"}; !slices.Equal(got, want) {
		t.Errorf("in a workspace: got %q, want %q", got, want)
	}
	hidden := func(one *Ticket) bool { return one.Ask.Origin.Workspace != "shop" }
	if got := find(like{texts: words, digest: same.Digest, visible: hidden}); len(got) != 1 {
		t.Errorf("what is not visible is found: %q", got)
	}
}
