package web

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// said is what a form says to one question, as it stands there.
type said struct {
	sayso.Answer
	own       bool          // own words are chosen
	both      bool          // there are own words beside the choice, and they are not chosen: which is meant?
	same      bool          // the words name an option that is chosen, and say nothing else
	named     *sayso.Option // the words name this option, which is not chosen
	ambiguous string        // why the words could name two options

	approval *sayso.Approval // that the form decides; nil: it answers questions
	badEdit  string          // what was changed and cannot run
}

// readForm reads what the person has put into the form.
func (rd *reader) readForm(a *sayso.Ask, form url.Values) []said {
	all := make([]said, len(a.Questions))
	for i := range a.Questions {
		q := &a.Questions[i]
		chosen := form[fmt.Sprintf("q%d", i)]
		got := said{Answer: sayso.Answer{QuestionID: q.ID}}
		for j := range q.Options {
			if slices.Contains(chosen, optionValue+q.Options[j].ID) {
				got.Selected = append(got.Selected, q.Options[j].ID)
			}
		}
		// Browsers send the end of a line as two characters. Nothing else changes.
		got.Other = strings.ReplaceAll(form.Get(fmt.Sprintf("t%d", i)), "\r\n", "\n")
		got.Note = strings.ReplaceAll(form.Get(fmt.Sprintf("n%d", i)), "\r\n", "\n")
		got.own = slices.Contains(chosen, ownValue)
		if a.Approval != nil {
			rd.readVerdict(a, form, &got)
		} else if !sayso.Blank(got.Other) && q.Chooses() {
			got.own = got.own || len(got.Selected) == 0
			got.match(q)
			got.both = !got.own && !got.same
		}
		all[i] = got
	}
	return all
}

// match notes which option the words name.
func (s *said) match(q *sayso.Question) {
	o, err := q.OptionNamed(s.Other, nil)
	var invalid *sayso.InvalidError
	switch {
	case errors.As(err, &invalid):
		s.ambiguous = invalid.Problems[0].Message
	case o == nil:
	case slices.Contains(s.Selected, o.ID):
		s.same = true
	default:
		s.named = o
	}
}

// answer is what is stored of it.
func (s *said) answer() sayso.Answer {
	a := s.Answer
	if s.same || sayso.Blank(a.Other) {
		a.Other = ""
	}
	if sayso.Blank(a.Note) {
		a.Note = ""
	}
	if s.approval != nil {
		s.decide(&a)
	}
	if !a.Answered() {
		a.Unanswered = sayso.ReasonSkipped
	}
	return a
}

// take chooses the option that the words name. The words stay where they are, and
// mean nothing more than the choice.
func (s *said) take(q *sayso.Question) {
	if !q.Several() {
		s.Selected = nil
	}
	s.Selected = append(s.Selected, s.named.ID)
	s.own = false
}

// namedWords says that own words are an option.
func (rd *reader) namedWords(s *said) string {
	return rd.Say(rd.Web.NamesOption, rd.Quote(sayso.SafeLine(strings.TrimSpace(s.Other))), rd.Quote(s.named.Label))
}

// answers are what is stored of a form. Questions without an answer are skipped.
func answers(all []said) []sayso.Answer {
	out := make([]sayso.Answer, len(all))
	for i := range all {
		out[i] = all[i].answer()
	}
	return out
}

// again is the form that has these answers in it.
func again(a *sayso.Ask, answers []sayso.Answer) []said {
	all := make([]said, len(a.Questions))
	for i := range a.Questions {
		q := &a.Questions[i]
		for _, ans := range answers {
			if ans.QuestionID == q.ID {
				all[i].Answer = ans
				all[i].own = ans.Other != "" && (q.Several() || len(ans.Selected) == 0)
				if a.Approval != nil { // it has one place for words
					all[i].Other, all[i].Note = strings.Trim(ans.Other+"\n"+ans.Note, "\n"), ""
				}
			}
		}
	}
	return all
}

// problems says why the form cannot be sent; missing counts the questions without
// an answer.
func (rd *reader) problems(a *sayso.Ask, all []said) (words []string, missing int) {
	for i := range all {
		switch s := &all[i]; {
		case s.both:
			words = append(words, rd.Say(rd.Web.BothAnswers, i+1))
		case s.ambiguous != "":
			words = append(words, rd.Say(rd.Web.ProblemOf, i+1, s.ambiguous))
		case s.named != nil:
			words = append(words, rd.Say(rd.Web.SendAgain, i+1, rd.namedWords(s)))
		case !s.Answered():
			missing++
			words = append(words, rd.Say(rd.Web.StillNeeds, i+1, rd.Quote(sayso.SafeLine(a.Questions[i].Text))))
		}
	}
	return words, missing
}
