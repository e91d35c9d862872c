package sayso

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is what was decided about an approval.
type Verdict struct {
	Offer   *Offer // which the integration carries out
	Message string // for the model; empty: none
	Input   string // the changed input; empty: as it was asked for
	Unseen  int    // bytes that were allowed without being opened
}

// Allowed reports whether the tool may run. A nil verdict allows nothing.
func (v *Verdict) Allowed() bool { return v != nil && v.Offer != nil && v.Offer.Act == ActAllow }

// Verdict returns what the outcome decides about an approval, or nil if it decides
// nothing: only an explicit choice allows something. Words without a choice deny it,
// and are what the model is told.
func (a *Ask) Verdict(o *Outcome) *Verdict {
	if a.Approval == nil || o == nil || o.Settled().Status != StatusAnswered || a.Check(o) != nil {
		return nil
	}
	ans, _ := o.Answer(VerdictQuestion)
	v := &Verdict{Input: ans.Input, Message: joinWords(ans.Other, ans.Note, o.Reply)}
	switch {
	case len(ans.Selected) == 0:
		v.Offer = a.Approval.denial(true)
	case ans.Selected[0] == OfferUnseen:
		v.Offer = a.Approval.Allows()[0]
		_, v.Unseen = a.Approval.Unseen()
	default:
		v.Offer = a.Approval.Offer(ans.Selected[0])
	}
	if v.Offer == nil {
		return nil
	}
	return v
}

// denial returns the first offer that denies and, if wanted, takes words.
func (a *Approval) denial(words bool) *Offer {
	for _, o := range a.Denies() {
		if o.Message || !words {
			return o
		}
	}
	return nil
}

// checkVerdict reports what keeps an answer to an approval from being carried out.
func checkVerdict(e *InvalidError, a *Ask, o *Outcome) {
	if o.Status != StatusAnswered {
		return
	}
	p := a.Approval
	ans, _ := o.Answer(VerdictQuestion)
	words := joinWords(ans.Other, ans.Note, o.Reply)
	if len(ans.Selected) != 1 {
		if words != "" && p.denial(true) == nil {
			e.Add(ErrNoMessage, "answers", "has words, and this agent takes none; choose one of the options without them")
		}
		return
	}
	offer := p.Offer(ans.Selected[0])
	if ans.Selected[0] == OfferUnseen && len(p.Allows()) > 0 {
		offer = p.Allows()[0]
	}
	if offer == nil {
		return // an unknown option, which was reported
	}
	if words != "" && !offer.Message {
		e.Add(ErrNoMessage, "answers", fmt.Sprintf("has words, and “%s” takes none; deny it with your words, or choose it without them", SafeLine(offer.label())))
	}
	if ans.Input != "" && (!offer.Edit || CheckJSON([]byte(ans.Input)) != nil) {
		e.Add(ErrNotEditable, "answers", fmt.Sprintf("changes the input, which “%s” does not take", SafeLine(offer.label())))
	}
	if offer.Act != ActAllow || ans.Selected[0] == OfferUnseen {
		return
	}
	hidden := 0
	for i := range p.Shown {
		if c := &p.Shown[i].Content; c.Stored && !slices.Contains(ans.Opened, c.SHA256) {
			hidden += c.Size
		}
	}
	if hidden > 0 {
		e.Add(ErrUnseen, "answers", fmt.Sprintf("allows %s that were not opened; open all of it first, or choose “Allow … unseen”", size(hidden)))
	}
}

// joinWords returns the texts that say something, one below the other.
func joinWords(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, Blank), "\n")
}
