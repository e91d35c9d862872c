package sayso_test

import (
	"testing"

	"github.com/saysohq/sayso"
)

func TestKinds(t *testing.T) {
	two := []sayso.Option{{Label: "A"}, {Label: "B"}}
	for _, tt := range []struct {
		name string
		q    sayso.Question
		want sayso.Kind
		ok   bool
	}{
		{"no options", sayso.Question{}, sayso.KindText, true},
		{"options", sayso.Question{Options: two}, sayso.KindChoice, true},
		{"several", sayso.Question{Options: two, Multi: true}, sayso.KindChoices, true},
		{"several, by kind", sayso.Question{Options: two, Kind: sayso.KindChoices}, sayso.KindChoices, true},
		{"several of nothing", sayso.Question{Multi: true}, sayso.KindText, true},
		{"a choice of nothing", sayso.Question{Kind: sayso.KindChoice}, sayso.KindChoice, false},
		{"words, with options", sayso.Question{Kind: sayso.KindText, Options: two}, sayso.KindText, false},
		{"one, and several", sayso.Question{Kind: sayso.KindChoice, Options: two, Multi: true}, sayso.KindChoice, false},
		{"unknown", sayso.Question{Kind: "riddle"}, "riddle", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Text = "Which?"
			a := &sayso.Ask{Questions: []sayso.Question{tt.q}}
			a.Normalize()
			q := &a.Questions[0]
			if q.Kind != tt.want || a.Kind != sayso.AskQuestions {
				t.Errorf("kind %q of an ask of kind %q, want %q", q.Kind, a.Kind, tt.want)
			}
			if q.Several() && !q.Multi {
				t.Error("several, and not multi")
			}
			if err := a.Validate(sayso.Limits{}); (err == nil) != tt.ok {
				t.Errorf("valid: %v", err)
			}
		})
	}
	a := &sayso.Ask{Kind: "riddle", Questions: []sayso.Question{{Text: "Which?"}}}
	a.Normalize()
	if a.Validate(sayso.Limits{}) == nil {
		t.Error("an ask of an unknown kind is valid")
	}
	plain := &sayso.Ask{Questions: a.Questions}
	if plain.Digest() == a.Digest() {
		t.Error("the digest does not tell kinds of asks apart")
	}
	asked := plain.Clone()
	asked.Normalize()
	if plain.Digest() != asked.Digest() {
		t.Error("the digest of questions changes when their kind is set")
	}
}
