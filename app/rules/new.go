package rules

import (
	"fmt"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Ends say when a rule that allows ends: with the first of these, and after
// [LongestAllow] in any case. At least one is set.
type Ends struct {
	Session bool          // with the conversation of the approval
	For     time.Duration // after this time
	Count   int           // after so many uses
}

// NewAllow returns a rule that allows again what somebody has allowed: by is the person
// who makes it. An [*sayso.InvalidError] says why the approval cannot become one.
func NewAllow(t *hub.Ticket, by string, ends Ends, now time.Time) (hub.Rule, error) {
	r := hub.Rule{Act: hub.RuleAllow, By: by, Made: now, Count: ends.Count, Until: now.Add(LongestAllow)}
	var c checker
	switch {
	case ends.For < 0 || ends.For > LongestAllow:
		c.bad("for", "is %s; use a time of at most 30 days", ends.For)
	case ends.Count < 0:
		c.bad("count", "is %d; use a number from 1 on", ends.Count)
	case !ends.Session && ends.For == 0 && ends.Count == 0:
		c.bad("", "a rule that allows has to end: with the session, after a time, or after a number of uses")
	case ends.Session && t.Ask.Origin.Conversation == "":
		c.bad("session", "cannot be the end of the rule: this agent does not say which session it is in")
	}
	if ends.For > 0 {
		r.Until = now.Add(ends.For)
	}
	if ends.Session {
		r.Session = t.Ask.Origin.Conversation
	}
	if why := unfit(t, &r); why != "" {
		c.bad("ask", "%s", why)
		return r, c.OrNil()
	}
	r.Exact = exactly(t.Ask)
	return r, c.OrNil()
}

// unfit says why an approval cannot become a rule that allows it again.
func unfit(t *hub.Ticket, r *hub.Rule) string {
	p := t.Ask.Approval
	if p == nil {
		return "is a question, and rules decide about approvals only"
	}
	if t.Open() {
		return "is open; allow it once, then make the rule"
	}
	v := t.Ask.Verdict(t.Outcome)
	_, stored := p.Unseen()
	by := t.Outcome.By
	switch {
	case !v.Allowed():
		return "was not allowed; a rule can allow only what you allowed once"
	case v.Unseen > 0:
		return fmt.Sprintf("was allowed with %d bytes unseen; allow it again after you opened all of it, then make the rule", v.Unseen)
	case v.Input != "":
		return "was allowed with a changed input; a rule allows the call as the agent makes it"
	case by.Kind == sayso.ByPolicy:
		return "was allowed by rule " + by.ID + "; make the rule from an approval that you allowed yourself"
	case by.Kind == sayso.ByPerson && by.ID != r.By:
		return "was allowed by somebody else; make the rule from an approval that you allowed yourself"
	case by.Kind == sayso.ByProgram && stored > 0:
		return "was allowed in the agent's own dialog, which does not say whether all of it was opened; allow it in the inbox, then make the rule"
	case !by.Kind.Human():
		return "was not allowed by a person"
	case !answerable(r, t.Ask):
		return "is to somebody else"
	case t.Ask.MinAssurance > 0:
		return "asks for assurance, which only a person gives"
	case p.AllowOnce() == nil:
		return "offers no allow for one time, so a rule could not choose it"
	}
	for _, kind := range allowable {
		if kind == p.Kind {
			return ""
		}
	}
	return fmt.Sprintf("is a %s, which is about what the agent does next; that cannot be allowed by a rule", p.Kind)
}

// NewPattern returns a rule that denies, or requires a person, as it is given: Act,
// Pattern, Message, People, Assurance, Note and Until count.
func NewPattern(given hub.Rule, by string, now time.Time) (hub.Rule, error) {
	r := hub.Rule{
		Act: given.Act, By: by, Made: now, Pattern: given.Pattern, Message: given.Message,
		People: given.People, Assurance: given.Assurance, Note: given.Note, Until: given.Until,
	}
	probe := r
	probe.ID = "new"
	if r.Act == hub.RuleAllow {
		var c checker
		c.bad("act", "is allow; a rule can allow only one exact call, never a pattern: name an approval that you allowed")
		return r, c.OrNil()
	}
	return r, check(&probe)
}
