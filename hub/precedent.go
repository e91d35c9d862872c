package hub

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/saysohq/sayso"
)

// maxPrecedents is how many earlier answers are shown beside an ask, and
// maxCompared how many earlier asks are compared with it.
const (
	maxPrecedents = 3
	maxCompared   = 40
)

// Precedents returns what people answered before to the same questions as those of
// the ticket, or to ones like them ([sayso.Alike]), the best first, at most three. It
// looks only at what the responder may see. The person's own declines count; expired
// defaults, and what rules and agents decided, do not. Asks that ask for a secret have
// none.
//
// It is for reading, and for a person to reuse: nothing in the hub closes an ask with
// the answers of another.
func (h *Hub) Precedents(ctx context.Context, tenant string, by sayso.Responder, t *Ticket) ([]Precedent, error) {
	if t.Address.Tenant != tenant || t.Ask.WantsSecret() || by.ID != "" && !t.MayAnswer(by.ID) {
		return nil, nil
	}
	l := like{texts: precedentTexts(t.Ask), digest: t.Digest, n: maxCompared, not: t.Address, visible: func(old *Ticket) bool {
		return old.Address.Tenant == tenant && (by.ID == "" || old.MayAnswer(by.ID)) && isDecision(old)
	}}
	var all []Precedent
	for _, status := range []sayso.Status{sayso.StatusAnswered, sayso.StatusDeclined} {
		l.status = status
		earlier, err := h.candidates(ctx, tenant, &l)
		if err != nil {
			return nil, err
		}
		for _, old := range earlier {
			if p := precedent(t, old); p.Score >= sayso.AlikeEnough {
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Precedent) int {
		return cmp.Or(
			-boolCompare(sameWorkspace(t, a.Ticket), sameWorkspace(t, b.Ticket)),
			-boolCompare(a.Same, b.Same), -cmp.Compare(a.Score, b.Score),
			b.Ticket.Outcome.At.Compare(a.Ticket.Outcome.At),
		)
	})
	// The same answer to the same questions says nothing twice.
	var out []Precedent
	for _, p := range all {
		if len(out) < maxPrecedents && !slices.ContainsFunc(out, func(q Precedent) bool {
			return q.Ticket.Digest == p.Ticket.Digest && sameWorkspace(q.Ticket, p.Ticket) && sameOutcome(q.Ticket.Outcome, p.Ticket.Outcome)
		}) {
			out = append(out, p)
		}
	}
	return out, nil
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func sameWorkspace(a, b *Ticket) bool { return a.Ask.Origin.Workspace == b.Ask.Origin.Workspace }

// isDecision reports whether a person decided about the ask, and what they said may be
// shown again.
func isDecision(t *Ticket) bool {
	o := t.Outcome
	if o == nil || !o.By.Kind.Human() || t.Ask.WantsSecret() {
		return false
	}
	return o.Status == sayso.StatusAnswered && o.HasAnswer() || o.Status == sayso.StatusDeclined
}

// precedentTexts are the words by which earlier asks are looked for.
func precedentTexts(a *sayso.Ask) (texts []string) {
	for i := range a.Questions {
		q := &a.Questions[i]
		texts = append(texts, q.Header, q.Text)
		for j := range q.Options {
			texts = append(texts, q.Options[j].Label)
		}
	}
	return texts
}

// precedent compares an earlier ask with the one at hand.
func precedent(t, old *Ticket) Precedent {
	p := Precedent{Ticket: old, Same: t.Digest == old.Digest, Score: 1}
	var differs []string
	if !p.Same {
		like := sayso.Alike(t.Ask, old.Ask)
		// Hundredths: nobody sees more of it, and the newest is first among equals.
		p.Score, differs = math.Round(like.Score*100)/100, like.Differs
	}
	// What was said of one project is not said of another, whatever the words.
	if len(differs) == 0 && sameWorkspace(t, old) {
		p.Answers = reused(t.Ask, old)
	}
	return p
}

// reused returns the answers of an earlier ask as answers to this one, or nil if they
// do not fit.
func reused(a *sayso.Ask, old *Ticket) []sayso.Answer {
	if old.Outcome.Status != sayso.StatusAnswered || len(a.Questions) != len(old.Ask.Questions) || !sayso.Blank(old.Outcome.Reply) {
		return nil
	}
	answers := make([]sayso.Answer, 0, len(a.Questions))
	for i := range a.Questions {
		q := &a.Questions[i]
		from := counterpart(q, i, old.Ask)
		if from == nil {
			return nil
		}
		said, ok := old.Outcome.Answer(from.ID)
		if !ok {
			continue
		}
		ans, ok := translated(said, from, q)
		if !ok {
			return nil
		}
		answers = append(answers, ans)
	}
	// A dangerous option is chosen anew every time, and what has to be opened first is
	// opened anew.
	if len(a.Dangerous(answers)) > 0 || a.Check(&sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers, By: old.Outcome.By}) != nil {
		return nil
	}
	return answers
}

// counterpart returns the question of an earlier ask that this one stands for: the
// only one there is, or the only one with the same text.
func counterpart(q *sayso.Question, at int, old *sayso.Ask) *sayso.Question {
	if len(old.Questions) == 1 {
		return &old.Questions[0]
	}
	var found *sayso.Question
	for i := range old.Questions {
		if old.Questions[i].Text != q.Text {
			continue
		}
		if found != nil {
			if old.Questions[at].Text == q.Text && old.Questions[at].ID == q.ID {
				return &old.Questions[at]
			}
			return nil
		}
		found = &old.Questions[i]
	}
	return found
}

// translated returns an answer to one question as an answer to another: each chosen
// option by the one that its label names there.
func translated(said sayso.Answer, from, to *sayso.Question) (sayso.Answer, bool) {
	ans := sayso.Answer{QuestionID: to.ID, Other: said.Other, Note: said.Note, Unanswered: said.Unanswered}
	if said.Input != "" { // somebody changed what was to run
		return ans, false
	}
	for _, id := range said.Selected {
		was := from.Option(id)
		if was == nil {
			return ans, false
		}
		o, err := to.OptionNamed(was.Label, nil)
		if err != nil || o == nil || slices.Contains(ans.Selected, o.ID) {
			return ans, false
		}
		ans.Selected = append(ans.Selected, o.ID)
	}
	return ans, true
}

func (in *inbox) Precedents(ctx context.Context, seen *Ticket) ([]Precedent, error) {
	if err := in.owns(seen.Address); err != nil {
		return nil, err
	}
	return in.hub.Precedents(ctx, in.tenant, in.by, seen)
}
