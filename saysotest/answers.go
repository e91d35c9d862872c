package saysotest

import (
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// Answers returns a person who answers the questions of an ask in their order.
//
// A word that is the label or the id of an option chooses it; "Go, Rust" chooses
// two where several may be chosen. Anything else is the person's own words. The
// empty word, and a question without one, is skipped.
func Answers(words ...string) *Person {
	return Does(func(a *sayso.Ask) (*sayso.Outcome, error) {
		return fillIn(a, func(i int) string {
			if i < len(words) {
				return words[i]
			}
			return ""
		}), nil
	})
}

// AnswersTo returns a person who knows questions by their id, text or header and
// answers them as [Answers] does; other questions are skipped.
func AnswersTo(words map[string]string) *Person {
	return Does(func(a *sayso.Ask) (*sayso.Outcome, error) {
		return fillIn(a, func(i int) string {
			q := &a.Questions[i]
			for _, name := range []string{q.ID, q.Text, q.TextAsAsked(), q.Header, q.HeaderAsAsked()} {
				if word, ok := words[name]; ok {
					return word
				}
			}
			return ""
		}), nil
	})
}

func fillIn(a *sayso.Ask, wordTo func(i int) string) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusUnanswered, By: by}
	for i := range a.Questions {
		ans := answer(&a.Questions[i], wordTo(i))
		if ans.Answered() {
			o.Status = sayso.StatusAnswered
		} else {
			ans = sayso.Answer{QuestionID: ans.QuestionID, Unanswered: sayso.ReasonSkipped}
		}
		o.Answers = append(o.Answers, ans)
	}
	return o
}

// answer reads a word as an option, as a list of options, or as own words.
func answer(q *sayso.Question, word string) sayso.Answer {
	ans := sayso.Answer{QuestionID: q.ID}
	if id := optionID(q, word); id != "" {
		ans.Selected = []string{id}
		return ans
	}
	if q.Multi {
		for _, part := range strings.Split(word, ",") {
			id := optionID(q, strings.TrimSpace(part))
			if id == "" || slices.Contains(ans.Selected, id) {
				ans.Selected = nil
				break
			}
			ans.Selected = append(ans.Selected, id)
		}
	}
	if len(ans.Selected) == 0 {
		ans.Other = word
	}
	return ans
}

func optionID(q *sayso.Question, word string) string {
	for i := range q.Options {
		if o := &q.Options[i]; word == o.Label || word == o.LabelAsAsked() || word == o.ID {
			return o.ID
		}
	}
	return ""
}
