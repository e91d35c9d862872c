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

// Explanation says which rule decided about an approval, or why none did.
type Explanation struct {
	Rule *hub.Rule // that decided; nil: none did, or it is no longer known
	Near []Miss    // rules that did not, the nearest first
	Text string    // in words
}

// Miss is a rule that does not match, and why. Without a reason it matches as the rules
// are now.
type Miss struct {
	Rule hub.Rule
	Why  []string
}

const mostNear = 5

// Explain says which of the rules decided about the approval. If none did, it compares
// with the rules as they are now.
func Explain(ctx context.Context, rules []hub.Rule, t *hub.Ticket, contents hub.Contents, now time.Time) (*Explanation, error) {
	e := &Explanation{}
	if t.Ask.Approval == nil {
		e.Text = "It is a question. Rules decide about approvals only."
		return e, nil
	}
	if by, ok := ByRule(t.Outcome); ok {
		e.Text = decidedAs(t) + " by rule " + by + ", which is no longer known, or not yours to see."
		if i := slices.IndexFunc(rules, func(r hub.Rule) bool { return r.ID == by }); i >= 0 {
			e.Rule = &rules[i]
			e.Text = decidedAs(t) + " by rule " + by + ": " + Describe(e.Rule, now) + "."
		}
		return e, nil
	}
	c := callOf(ctx, t, now, contents)
	for _, r := range rules {
		why, err := misses(&r, c)
		if err != nil {
			why = []string{"what runs could not be read whole: " + err.Error()}
		}
		e.Near = append(e.Near, Miss{Rule: r, Why: why})
	}
	slices.SortStableFunc(e.Near, func(a, b Miss) int { return len(a.Why) - len(b.Why) })
	e.Near = e.Near[:min(len(e.Near), mostNear)]
	lines := []string{"No rule decided about it."}
	if len(rules) == 0 {
		lines = append(lines, "No rules are stored.")
	}
	for _, m := range e.Near {
		why := strings.Join(m.Why, "; ")
		if why == "" {
			why = "it matches as the rules are now; this approval was asked before, or had to go to the people it names"
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s.", m.Rule.ID, Describe(&m.Rule, now), why))
	}
	e.Text = strings.Join(lines, "\n")
	return e, nil
}

// ByRule returns the rule that gave the outcome.
func ByRule(o *sayso.Outcome) (id string, ok bool) {
	if o == nil || o.By.Kind != sayso.ByPolicy || o.By.Surface != Surface {
		return "", false
	}
	return o.By.ID, true
}

func decidedAs(t *hub.Ticket) string {
	if t.Ask.Verdict(t.Outcome).Allowed() {
		return "Allowed"
	}
	return "Denied"
}

// Describe returns what a rule does, in one line.
func Describe(r *hub.Rule, now time.Time) string {
	var s string
	switch r.Act {
	case hub.RuleAllow:
		if r.Exact == nil {
			return "allow one call of " + r.By + ends(r, now) // an admin sees no more
		}
		s = "allow “" + clip(sayso.SafeLine(r.Exact.Summary), 120) + "”"
		if r.Exact.Cwd != "" {
			s += " in " + sayso.SafeLine(r.Exact.Cwd)
		}
	case hub.RuleDeny:
		s = "deny " + selects(r.Pattern)
	case hub.RuleRequire:
		s = "require " + required(r) + " for " + selects(r.Pattern)
	}
	return s + ends(r, now)
}

func selects(p *hub.RulePattern) string {
	var s []string
	for _, f := range []struct{ name, value string }{
		{"tool", p.Tool}, {"kind", string(p.Kind)}, {"program", p.Host}, {"sub-agent", p.Agent}, {"workspace", p.Workspace}, {"dir", p.Cwd},
		{"contains", p.Contains}, {"regexp", p.Regexp},
	} {
		if f.value != "" {
			s = append(s, fmt.Sprintf("%s %q", f.name, f.value))
		}
	}
	return strings.Join(s, ", ")
}

func ends(r *hub.Rule, now time.Time) string {
	if at := over(r, now); !at.IsZero() {
		switch {
		case !r.Revoked.IsZero():
			return " (revoked)"
		case r.Count > 0 && r.Used >= r.Count:
			return fmt.Sprintf(" (used up: %d)", r.Count)
		}
		return " (expired)"
	}
	var s []string
	if r.Session != "" {
		s = append(s, "in one session")
	}
	if r.Count > 0 {
		s = append(s, fmt.Sprintf("%d of %d uses left", r.Count-r.Used, r.Count))
	}
	if !r.Until.IsZero() {
		s = append(s, "until "+r.Until.Format("2006-01-02 15:04 MST"))
	}
	if len(s) == 0 {
		return ""
	}
	return " (" + strings.Join(s, ", ") + ")"
}
