package stats

import (
	"cmp"
	"slices"
	"time"
)

// again is within which time a question that is asked again is a finding.
const again = time.Hour

// found are the questions that a rule found: how many, and the newest of them.
type found struct {
	n    int
	some []Finding
}

// mostFindings of one rule are listed.
const mostFindings = 10

// find counts a finding, and keeps it if it is one of the newest of its rule.
func (c *collector) find(f Finding, e *entry) {
	r := c.rules[f.Rule]
	if r == nil {
		r = &found{}
		c.rules[f.Rule] = r
	}
	r.n++
	if len(r.some) == mostFindings && !e.asked.After(r.some[mostFindings-1].At) {
		return
	}
	f.Text, f.At, f.Agent, f.Asker = shorten(f.Text), e.asked, c.names.all[e.group[byAgent]], c.names.all[e.group[byAsker]]
	f.Ask = c.address(e)
	f.ID, f.Handle = e.id, c.handle(e)
	r.some = append(r.some, f)
	slices.SortStableFunc(r.some, func(a, b Finding) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Ask.ID, b.Ask.ID))
	})
	r.some = r.some[:min(len(r.some), mostFindings)]
}

// repeats finds the questions that were asked more than once, and those that were
// asked again too soon. Entries from before the period go, and the others are put in
// another order.
func (c *collector) repeats(r *Report) {
	c.entries = slices.DeleteFunc(c.entries, func(e entry) bool { return e.asked.Before(c.o.Since) })
	slices.SortFunc(c.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.digest, b.digest), a.asked.Compare(b.asked), cmp.Compare(a.id, b.id))
	})
	for i := 0; i < len(c.entries); {
		j := i + 1
		for ; j < len(c.entries) && c.entries[j].digest == c.entries[i].digest; j++ {
			c.again(&c.entries[j], &c.entries[j-1])
		}
		if n := j - i; n > 1 {
			last := &c.entries[j-1]
			r.Again += n - 1
			r.Repeated = append(r.Repeated, Repeat{
				Text: c.texts[last.digest], Digest: c.names.all[last.digest], Asked: n, Last: last.asked, Ask: c.address(last), ID: last.id, Handle: c.handle(last),
			})
			c.bestRepeats(r, 4*mostGroups)
		}
		i = j
	}
	c.bestRepeats(r, mostGroups)
}

// bestRepeats keeps the most frequent ones if there are more than so many.
func (c *collector) bestRepeats(r *Report, most int) {
	if len(r.Repeated) <= most && most > mostGroups {
		return
	}
	slices.SortFunc(r.Repeated, func(a, b Repeat) int {
		return cmp.Or(cmp.Compare(b.Asked, a.Asked), b.Last.Compare(a.Last), cmp.Compare(a.Digest, b.Digest))
	})
	r.Repeated = r.Repeated[:min(len(r.Repeated), mostGroups)]
}

// again finds a question that was asked of the same people a moment before. Approvals
// are not asked by choice: the agent's program asks each time it is about to act.
func (c *collector) again(e, before *entry) {
	kind := c.names.all[e.group[byKind]]
	question := kind == "text" || kind == "choice" || kind == "choices" || kind == "several"
	if !question || e.asked.Sub(before.asked) > again || e.asker != before.asker {
		return
	}
	c.find(Finding{Rule: AskedAgain, Text: c.texts[e.digest]}, e)
}

// findings lists what the rules found, in the order of [Rules].
func (c *collector) findings(r *Report) {
	for _, rule := range Rules() {
		if f := c.rules[rule]; f != nil {
			r.Rules = append(r.Rules, RuleCount{rule, f.n})
			r.Findings = append(r.Findings, f.some...)
		}
	}
}
