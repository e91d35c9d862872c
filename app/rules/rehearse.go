package rules

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Rehearsal is what a rule would have done to approvals that people decided.
type Rehearsal struct {
	Of     int      // approvals that were looked at: the last ones that the person decided
	Would  int      // that the rule would have decided, or left to the people it names
	Match  int      // that it matches; more than Would if it would have ended before
	Other  []Differ // where the person decided otherwise, the latest first
	Unread int      // that could not be read whole
	Text   string   // all of it in a sentence or two
}

// Differ is an approval that a person decided otherwise than a rule would have.
type Differ struct {
	Ask     string
	At      time.Time
	Summary string
	Allowed bool // by the person
	By      string
}

// Last is how many approvals a rehearsal looks at, if nobody says it.
const Last = 200

// Replay returns which rule would have decided about each of the approvals, in the
// order in which they were asked, or -1. Rules are used up as they go. contents may be
// nil if nothing is stored beside the asks.
//
// The time is that of the ask. What a rule would have allowed does not change what the
// agent asked next, as far as anybody knows.
func Replay(ctx context.Context, rules []hub.Rule, tickets []*hub.Ticket, contents hub.Contents) ([]int, error) {
	rules = slices.Clone(rules)
	out := make([]int, len(tickets))
	for i, t := range tickets {
		c := callOf(ctx, t, t.Ask.AskedAt, contents)
		v, err := judge(rules, c)
		if err != nil {
			return nil, err
		}
		out[i] = -1
		if v.act != "" {
			out[i] = v.rule
		}
		if v.act == hub.RuleAllow {
			rules[v.rule].Used++
		}
	}
	return out, nil
}

// Rehearse says what the rule would have done to the last approvals that the person
// decided, if it had held all the time.
func Rehearse(ctx context.Context, rule hub.Rule, person string, tickets []*hub.Ticket, last int, contents hub.Contents) (*Rehearsal, error) {
	rule.Used, rule.Until, rule.Revoked = 0, time.Time{}, time.Time{}
	endless := rule
	endless.Count = 0
	mine := decidedBy(person, tickets)
	mine = mine[max(0, len(mine)-last):]
	h := &Rehearsal{Of: len(mine)}
	used := 0
	for _, t := range mine {
		hit, err := Replay(ctx, []hub.Rule{endless}, []*hub.Ticket{t}, contents)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			h.Unread++
			continue
		}
		if hit[0] < 0 {
			continue
		}
		h.Match++
		if rule.Count > 0 && used >= rule.Count {
			continue
		}
		used++
		h.note(&rule, t)
	}
	h.Would = used
	slices.Reverse(h.Other)
	h.Text = h.sentence(&rule)
	return h, nil
}

// decidedBy returns the approvals that the person decided, in the inbox or in the
// agent's own dialog, in the order in which they were asked.
func decidedBy(person string, tickets []*hub.Ticket) []*hub.Ticket {
	var mine []*hub.Ticket
	for _, t := range tickets {
		if t.Ask.Approval == nil || t.Open() || t.Ask.Verdict(t.Outcome) == nil {
			continue
		}
		if by := t.Outcome.By; by.Kind == sayso.ByProgram || by.Kind == sayso.ByPerson && by.ID == person {
			mine = append(mine, t)
		}
	}
	slices.SortStableFunc(mine, func(a, b *hub.Ticket) int {
		if d := a.Ask.AskedAt.Compare(b.Ask.AskedAt); d != 0 {
			return d
		}
		return strings.Compare(a.Ask.ID, b.Ask.ID)
	})
	return mine
}

// note compares what the rule would have done with what the person did.
func (h *Rehearsal) note(r *hub.Rule, t *hub.Ticket) {
	allowed := t.Ask.Verdict(t.Outcome).Allowed()
	by := t.Outcome.By
	same := false
	switch r.Act {
	case hub.RuleAllow:
		same = allowed
	case hub.RuleDeny:
		same = !allowed
	case hub.RuleRequire:
		same = by.Kind == sayso.ByPerson && (len(r.People) == 0 || slices.Contains(r.People, by.ID)) && by.Assurance >= r.Assurance
	}
	if !same {
		h.Other = append(h.Other, Differ{Ask: t.Ask.ID, At: t.Outcome.At, Summary: t.Ask.Approval.Summary(), Allowed: allowed, By: by.ID})
	}
}

func (h *Rehearsal) sentence(r *hub.Rule) string {
	if h.Of == 0 {
		return "You have decided no approvals yet, so there is nothing to compare the rule with."
	}
	verb, other, all := "answered", "You denied %s of them: %s", "You allowed all of them."
	switch r.Act {
	case hub.RuleDeny:
		verb, other, all = "denied", "You allowed %s of them: %s", "You denied all of them, too."
	case hub.RuleRequire:
		verb, other, all = "left to "+required(r), "Somebody else decided %s of them: %s", "They were decided that way."
	}
	text := fmt.Sprintf("It would have %s %d of your last %d approvals.", verb, h.Would, h.Of)
	if h.Match > h.Would {
		text += fmt.Sprintf(" It matches %d, and ends after %d.", h.Match, h.Would)
	}
	switch n := len(h.Other); {
	case h.Would == 0:
	case n == 0:
		text += " " + all
	case n == 1:
		text += " " + fmt.Sprintf(other, "one", h.Other[0].Summary)
	default:
		text += " " + fmt.Sprintf(other, fmt.Sprint(n), h.Other[0].Summary+fmt.Sprintf(" (and %d more)", n-1))
	}
	if h.Unread > 0 {
		text += fmt.Sprintf(" %d could not be read whole.", h.Unread)
	}
	return text
}

func required(r *hub.Rule) string {
	if len(r.People) > 0 {
		return strings.Join(r.People, " or ")
	}
	return fmt.Sprintf("people with assurance level %d", r.Assurance)
}
