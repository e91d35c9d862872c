package hub

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// accepts reports what keeps the outcome from closing this ask, whoever was
// first: who closes it, how, and whether it fits the questions.
func (t *Ticket) accepts(shown string, o *sayso.Outcome) error {
	decision := false // somebody has looked at the questions
	switch o.Status {
	case sayso.StatusAnswered, sayso.StatusUnanswered, sayso.StatusDeclined:
		decision = true
	case sayso.StatusCancelled, sayso.StatusSuperseded, sayso.StatusUnreachable, sayso.StatusExpired:
	default:
		return fmt.Errorf("%w: %q does not close an ask", ErrStatus, o.Status)
	}
	if shown != t.Digest && (shown != "" || decision) {
		return &ChangedError{Address: t.Address, Shown: shown, Stored: t.Digest}
	}
	if err := t.allows(o.By, o.Status, decision); err != nil {
		return err
	}
	if o.Status == sayso.StatusExpired && !slices.EqualFunc(o.Answers, t.standIn(), sameAnswer) {
		return fmt.Errorf("%w: an expired ask has the answers that its asker declared, and no others", ErrStatus)
	}
	return t.Ask.Check(o)
}

// allows reports whether the responder may close the ask with this status.
func (t *Ticket) allows(by sayso.Responder, status sayso.Status, decision bool) error {
	switch by.Kind {
	case sayso.ByPerson, sayso.ByProgram, sayso.ByAgent:
		if !t.MayAnswer(by.ID) || by.Kind == sayso.ByProgram && len(t.Ask.To) > 0 { // nobody knows whose reply a program hands on
			return fmt.Errorf("%w: the ask is to %s", ErrNotAllowed, strings.Join(t.Ask.To, ", "))
		}
		if status == sayso.StatusExpired {
			return fmt.Errorf("%w: only a deadline makes an ask expire", ErrNotAllowed)
		}
		decision = true
	case sayso.ByPolicy:
		if decision && t.Ask.Approval != nil { // a rule decides before anybody is asked: see Options.Decide
			return fmt.Errorf("%w: an approval that is open is for people to decide", ErrNotAllowed)
		}
	case sayso.ByAsker:
		if decision {
			return fmt.Errorf("%w: an asker cannot answer", ErrNotAllowed)
		}
	default:
		return fmt.Errorf("%w: the outcome does not say who gave it", ErrNotAllowed)
	}
	if decision && by.Assurance < t.Ask.MinAssurance {
		return fmt.Errorf("%w: it wants level %d, this is level %d", ErrAssurance, t.Ask.MinAssurance, by.Assurance)
	}
	return nil
}

// says reports whether the ticket's outcome is the same decision by the same
// responder. When it was made does not matter.
func (t *Ticket) says(o *sayso.Outcome) bool {
	return SameResponder(t.Outcome.By, o.By) && sameOutcome(t.Outcome, o)
}

// SameResponder reports whether two responders are the same one, from whichever of
// its surfaces, so that the one may undo what the other said. A responder without a
// name is known by the surface.
func SameResponder(a, b sayso.Responder) bool {
	return a.Kind == b.Kind && a.ID == b.ID && (a.ID != "" || a.Surface == b.Surface)
}

func sameOutcome(a, b *sayso.Outcome) bool {
	byQuestion := func(o *sayso.Outcome) []sayso.Answer {
		return slices.SortedStableFunc(slices.Values(o.Answers), func(x, y sayso.Answer) int {
			return cmp.Compare(x.QuestionID, y.QuestionID)
		})
	}
	return a.Status == b.Status && a.Reply == b.Reply && a.Reason == b.Reason &&
		slices.EqualFunc(byQuestion(a), byQuestion(b), sameAnswer)
}

// sameAnswer compares choices as sets: the order of clicks says nothing.
func sameAnswer(a, b sayso.Answer) bool {
	return a.QuestionID == b.QuestionID && a.Other == b.Other && a.Note == b.Note && a.Unanswered == b.Unanswered &&
		slices.Equal(slices.Sorted(slices.Values(a.Selected)), slices.Sorted(slices.Values(b.Selected)))
}
