package stats

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Rule names what is wrong with a question. Why, and what to write instead, is in the
// words of the surfaces.
type Rule string

// The rules.
const (
	NoOptions    Rule = "no-options"    // alternatives in the text, or yes or no, without options
	TwoQuestions Rule = "two-questions" // one answer cannot be to both
	Continue     Rule = "continue"      // asks for leave to go on, and says nothing about what
	AsksSecret   Rule = "secret"        // the answer would be stored in clear
	AskedAgain   Rule = "asked-again"   // within an hour; only a [Report] finds it
	TooLong      Rule = "too-long"      // the text; details belong into the body
	SameOption   Rule = "same-option"   // two options say the same
	OtherOption  Rule = "other-option"  // own words are always possible
	BothOption   Rule = "both-option"   // "both" in a question that takes one option
)

// Rules lists all of them.
func Rules() []Rule {
	return []Rule{NoOptions, TwoQuestions, Continue, AsksSecret, AskedAgain, TooLong, SameOption, OtherOption, BothOption}
}

// Finding is a question that should have been asked differently.
type Finding struct {
	Rule     Rule        `json:"rule"`
	Question string      `json:"question,omitempty"` // its id in the ask
	Text     string      `json:"text"`               // of the question, as it is shown
	Agent    string      `json:"agent,omitempty"`    // as it calls itself
	Asker    string      `json:"asker,omitempty"`    // as the hub knows it
	At       time.Time   `json:"at,omitzero"`        // when it was asked
	Ask      hub.Address `json:"-"`
	ID       string      `json:"id,omitempty"` // of the ask
	Handle   string      `json:"handle,omitempty"`
}

// mostText is how long the text of a question should be, in runes.
const mostText = 300

// Lint returns what is wrong with the questions of an ask, as far as that can be told
// from the ask alone. It knows English and German, and leaves approvals alone: their
// words are not the agent's. It is a hint, not a gate.
func Lint(a *sayso.Ask) []Finding {
	if a.Approval != nil {
		return nil
	}
	var all []Finding
	for i := range a.Questions {
		q := &a.Questions[i]
		for _, r := range lint(q) {
			all = append(all, Finding{Rule: r, Question: q.ID, Text: sayso.SafeLine(q.Text)})
		}
	}
	return all
}

func lint(q *sayso.Question) []Rule {
	var found []Rule
	add := func(r Rule, is bool) {
		if is {
			found = append(found, r)
		}
	}
	text := plain(q.Text)
	asked := questionsIn(text)
	goOn := slices.ContainsFunc(asked, isContinue)
	add(Continue, goOn)
	add(NoOptions, !q.Chooses() && !q.Secret && !goOn && len(asked) > 0 && choosable(asked[len(asked)-1]))
	add(TwoQuestions, isTwo(asked))
	add(AsksSecret, q.AsksForSecret())
	add(TooLong, utf8.RuneCountInString(q.Text) > mostText)
	labels := map[string]bool{}
	same, other, both := false, false, false
	for i := range q.Options {
		l := strings.Join(wordsOf(q.Options[i].Label), " ")
		same = same || l != "" && labels[l]
		labels[l] = true
		other = other || otherLabels[l]
		both = both || bothLabels[l] && !q.Several()
	}
	add(SameOption, same)
	add(OtherOption, other)
	add(BothOption, both)
	return found
}
