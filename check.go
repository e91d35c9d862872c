package sayso

import (
	"fmt"
	"slices"
	"strconv"
)

// LongAnswer is how many characters an answer may have before a surface asks whether
// it is meant. It is no limit.
const LongAnswer = 2000

// Check reports, as an [*InvalidError], everything that keeps an outcome from
// fitting the ask: a status that is none, answers to questions or options that
// it does not have, more than one choice where one is allowed, a question
// answered twice, and [ErrNoAnswer] where an outcome claims to be answered and
// says nothing.
//
// Questions that an answered outcome leaves out are unanswered, not wrong.
func (a *Ask) Check(o *Outcome) error {
	var e InvalidError
	if !o.Status.known() {
		e.Add(ErrUnknownStatus, "status", "is "+strconv.Quote(string(o.Status))+", which is none; say what became of the ask")
	}
	for i := range o.Answers {
		checkAnswer(&e, a, o, i)
	}
	if a.Approval != nil {
		checkVerdict(&e, a, o)
	}
	if o.Status == StatusAnswered && !o.HasAnswer() {
		e.Add(ErrNoAnswer, "answers", "hold no answer; an empty form is not a decision")
	}
	return e.OrNil()
}

func checkAnswer(e *InvalidError, a *Ask, o *Outcome, i int) {
	ans := &o.Answers[i]
	at := indexed("answers", i)
	q := a.Question(ans.QuestionID)
	if q == nil {
		e.Add(ErrUnknownQuestion, at+".questionId", "is "+strconv.Quote(ans.QuestionID)+", which this ask does not have")
		return
	}
	for k := range i {
		if o.Answers[k].QuestionID == ans.QuestionID {
			e.Add(ErrRepeatedAnswer, at, "answers question "+strconv.Quote(q.ID)+" a second time")
			break
		}
	}
	for j, id := range ans.Selected {
		switch {
		case q.Option(id) == nil:
			e.Add(ErrUnknownOption, at+"."+indexed("selected", j), "is "+strconv.Quote(id)+", which question "+strconv.Quote(q.ID)+" does not offer")
		case slices.Contains(ans.Selected[:j], id):
			e.Add(ErrTooManySelected, at+"."+indexed("selected", j), "repeats "+strconv.Quote(id))
		}
	}
	if !q.Several() && len(ans.Selected) > 1 {
		e.Add(ErrTooManySelected, at+".selected", fmt.Sprintf("has %d options; question %q takes one", len(ans.Selected), q.ID))
	}
	if ans.Unanswered != "" && ans.Answered() {
		e.Add(ErrContradiction, at, "has an answer and a reason for having none")
	}
}

// Marks reports whether an option of the ask is marked as dangerous, and whether a
// question asks for a secret: what a list says of it.
func (a *Ask) Marks() (dangerous, secret bool) {
	for i := range a.Questions {
		q := &a.Questions[i]
		secret = secret || q.Secret
		dangerous = dangerous || slices.ContainsFunc(q.Options, func(o Option) bool { return o.Danger })
	}
	return dangerous, secret
}

// Dangerous returns the options marked as dangerous that the answers choose, so
// that a surface can ask once more and say what will happen.
func (a *Ask) Dangerous(answers []Answer) []*Option {
	var all []*Option
	for _, ans := range answers {
		q := a.Question(ans.QuestionID)
		if q == nil {
			continue
		}
		for _, id := range ans.Selected {
			if o := q.Option(id); o != nil && o.Danger {
				all = append(all, o)
			}
		}
	}
	return all
}

// Settled returns o, or, where o claims to be answered and says nothing, a copy
// that says so. Every Format starts from it.
func (o *Outcome) Settled() *Outcome {
	if o.Status != StatusAnswered || o.HasAnswer() {
		return o
	}
	c := *o
	c.Status = StatusUnanswered
	return &c
}
