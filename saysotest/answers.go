package saysotest

import "github.com/saysohq/sayso"

// Answers returns a person who answers the questions of an ask in their order.
//
// A word is read as [sayso.Question.Match] reads it: one that names an option
// chooses it, "Go, Rust" chooses two where several may be chosen, and anything else
// is the person's own words. The empty word, and a question without one, is skipped.
func Answers(words ...string) *Person {
	return Does(func(a *sayso.Ask) (*sayso.Outcome, error) {
		return fillIn(a, func(i int) string {
			if i < len(words) {
				return words[i]
			}
			return ""
		})
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
		})
	})
}

func fillIn(a *sayso.Ask, wordTo func(i int) string) (*sayso.Outcome, error) {
	o := &sayso.Outcome{Status: sayso.StatusUnanswered, By: by}
	for i := range a.Questions {
		ans, err := a.Questions[i].Match([]string{wordTo(i)}, &sayso.MatchOptions{Joined: true})
		if err != nil {
			return nil, err
		}
		if ans.Answered() {
			o.Status = sayso.StatusAnswered
		}
		o.Answers = append(o.Answers, ans)
	}
	return o, nil
}
