package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// verdict is what rules say about a call.
type verdict struct {
	act  hub.RuleAct // empty: nothing
	rule int         // which one says so; of several that require, the first
	to   []string
	sure sayso.Assurance
	why  string // of a denial that no rule has words for
}

// judge asks every rule. One that denies counts before one that requires, and that
// before one that allows; among equals, the one that was made first.
func judge(rules []hub.Rule, c *call) (verdict, error) {
	found := map[hub.RuleAct][]int{}
	for i := range rules {
		why, err := misses(&rules[i], c)
		if err != nil {
			return verdict{}, err
		}
		if len(why) == 0 {
			act := rules[i].Act
			found[act] = append(found[act], i)
		}
	}
	switch {
	case len(found[hub.RuleDeny]) > 0:
		return verdict{act: hub.RuleDeny, rule: found[hub.RuleDeny][0]}, nil
	case len(found[hub.RuleRequire]) > 0:
		return require(rules, found[hub.RuleRequire], c.ask), nil
	case len(found[hub.RuleAllow]) > 0:
		return verdict{act: hub.RuleAllow, rule: found[hub.RuleAllow][0]}, nil
	}
	return verdict{}, nil
}

// require names who has to answer: the people of all rules that require somebody, as
// far as the agent asked them. If nobody is left, the call is denied: there is no one
// whose answer could count.
func require(rules []hub.Rule, which []int, a *sayso.Ask) verdict {
	v := verdict{act: hub.RuleRequire, rule: which[0], to: slices.Clone(a.To)}
	named := len(a.To) > 0
	for _, i := range which {
		r := &rules[i]
		v.sure = max(v.sure, r.Assurance)
		if len(r.People) == 0 {
			continue
		}
		if !named {
			v.to, named = slices.Clone(r.People), true
			continue
		}
		v.to = slices.DeleteFunc(v.to, func(name string) bool { return !slices.Contains(r.People, name) })
		if len(v.to) == 0 {
			return verdict{
				act: hub.RuleDeny, rule: i,
				why: fmt.Sprintf("%s must decide this, and it was sent to nobody of them", strings.Join(r.People, " or ")),
			}
		}
	}
	return v
}

// decision is what the hub is told.
func decision(v verdict, rules []hub.Rule, a *sayso.Ask, now time.Time) *hub.Decision {
	switch v.act {
	case hub.RuleRequire:
		d := &hub.Decision{MinAssurance: v.sure}
		if !slices.Equal(v.to, a.To) {
			d.To = v.to
		}
		return d
	case hub.RuleAllow:
		opened, _ := a.Approval.Unseen() // by who made the rule: all of it is the same
		return closes(&rules[v.rule], now, sayso.Answer{Selected: []string{a.Approval.AllowOnce().ID}, Opened: opened})
	case hub.RuleDeny:
		r := &rules[v.rule]
		offer := denial(a.Approval)
		ans := sayso.Answer{Selected: []string{offer.ID}}
		if offer.Message {
			ans.Note = cmp.Or(r.Message, v.why, "denied by a rule")
		}
		return closes(r, now, ans)
	}
	return nil
}

func closes(r *hub.Rule, now time.Time, ans sayso.Answer) *hub.Decision {
	ans.QuestionID = sayso.VerdictQuestion
	return &hub.Decision{Outcome: &sayso.Outcome{
		Status: sayso.StatusAnswered, Answers: []sayso.Answer{ans}, At: now,
		By: sayso.Responder{Kind: sayso.ByPolicy, ID: r.ID, Surface: Surface},
	}}
}

// denial returns the offer with which a rule denies: one that does not end the agent's
// turn and takes words, if there is one. Every approval has at least one that denies.
func denial(p *sayso.Approval) *sayso.Offer {
	all := p.Denies()
	return slices.MaxFunc(all, func(a, b *sayso.Offer) int { return cmp.Compare(worth(a), worth(b)) })
}

func worth(o *sayso.Offer) int {
	n := 0
	if !o.Stops {
		n += 2
	}
	if o.Message {
		n++
	}
	return n
}
