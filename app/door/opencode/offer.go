package opencode

import (
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// verdict is a decision as POST /permission/{id}/reply takes it.
type verdict struct {
	Reply   string `json:"reply"` // once, always, reject
	Message string `json:"message,omitempty"`
}

// offer is a decision, and how opencode spells it.
type offer struct {
	sayso.Offer
	reply string
}

const (
	// memory is where opencode keeps what is always allowed.
	memory = "the memory of opencode, for all sessions in this project until it restarts"

	// denied is what the model is told of a denial without words: opencode ends the turn
	// unless it is told something.
	denied = "The user denied this request."

	// changed is what the model is told if something else would run than was shown.
	changed = "What this would do changed after it was shown to the user, so their decision was not used and nothing ran. If it is still needed, try again."

	maxRule = 1000 // characters of what is remembered: a person has to read it
)

// offers are the decisions that opencode can carry out, always in the same order. A
// denial also rejects whatever else of the session waits, which is said.
func (w *wanted) offers(known bool) []offer {
	var list []offer
	if known {
		list = append(list, offer{sayso.Offer{ID: "once", Act: sayso.ActAllow}, "once"})
		if rule := w.rule(); rule != "" {
			list = append(list, offer{sayso.Offer{
				ID: "always", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Label: "Allow until opencode restarts", Rule: rule, Where: memory,
			}, "always"})
		}
	}
	return append(list,
		offer{sayso.Offer{ID: "deny", Act: sayso.ActDeny, Message: true, Label: "Deny (and all else that waits)"}, "reject"},
		offer{sayso.Offer{ID: "stop", Act: sayso.ActDeny, Stops: true, Label: "Deny and stop (and all else that waits)"}, "reject"},
	)
}

// rule is what "always" allows; empty if a person could not read it.
func (w *wanted) rule() string {
	if len(w.Always) == 0 {
		return ""
	}
	s := w.Permission + ": " + strings.Join(w.Always, ", ")
	if utf8.RuneCountInString(s) > maxRule || sayso.SafeLine(s) != s || strings.Contains(s, "  ") {
		return ""
	}
	return s
}

// decide spells a verdict; nil if it is not one that opencode can carry out.
func (w *wanted) decide(v *sayso.Verdict) *verdict {
	_, _, known := w.input()
	for _, o := range w.offers(known) {
		if v == nil || v.Offer == nil || o.ID != v.Offer.ID {
			continue
		}
		d := &verdict{Reply: o.reply}
		if o.Message {
			if d.Message = v.Message; sayso.Blank(d.Message) {
				d.Message = denied
			}
		}
		return d
	}
	return nil
}

// said reads what opencode was told in its own dialog, or by itself; nil if that is not
// one of the offers.
func said(a *sayso.Ask, reply string) *sayso.Outcome {
	id := map[string]string{"once": "once", "always": "always", "reject": "deny"}[reply]
	if a.Approval == nil || a.Approval.Offer(id) == nil {
		return nil
	}
	if _, size := a.Approval.Unseen(); size > 0 && id == "once" {
		id = sayso.OfferUnseen // what its dialog showed is not known
	} else if size > 0 && id == "always" {
		return nil
	}
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{id}}}}
}
