package approvaltest

import (
	"fmt"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook/claude"
	"github.com/saysohq/sayso/hub"
)

// call is what happened to one call, by the journals and by the hub.
type call struct {
	id      string
	wants   string // its session, and what it wants to run there: see [wanted]
	did     map[what]int
	said    string // by its hook, to the person
	tickets []*hub.Ticket
}

// findings is what the check found.
type findings struct {
	calls  int
	counts map[string]int
	wrong  []string
	unsure []string // records of what did run, or not, that miss a word
}

func (f *findings) Errorf(c *call, format string, args ...any) {
	f.wrong = append(f.wrong, f.say(c, format, args...))
}

// Missf is for what the hub was not told because a process was killed at the wrong
// moment. Nothing ran that nobody allowed.
func (f *findings) Missf(c *call, format string, args ...any) {
	f.unsure = append(f.unsure, f.say(c, format, args...))
}

func (f *findings) say(c *call, format string, args ...any) string {
	s := fmt.Sprintf("%s: %s; it %v; its hook said %q", c.id, fmt.Sprintf(format, args...), c.did, c.said)
	for _, t := range c.tickets {
		s += fmt.Sprintf("\n  ask %s: %s %s, consumed %t", t.Ask.ID, t.Status(), by(t), !t.Consumed.IsZero())
		for _, e := range t.History {
			s += fmt.Sprintf(", then %s on %s", e.Outcome.Status, e.Outcome.By.Surface)
		}
	}
	return s
}

// by says who decided what.
func by(t *hub.Ticket) string {
	v := t.Ask.Verdict(t.Outcome)
	if v == nil {
		return "undecided"
	}
	return string(v.Offer.Act) + " on " + t.Outcome.By.Surface
}

// check compares what happened with what was decided and recorded.
func (r *run) check() *findings {
	r.Helper()
	f := &findings{counts: map[string]int{}}
	notes, err := readJournals(r.dir, "agent-")
	if err != nil {
		r.Fatal(err)
	}
	calls := map[string]*call{}
	var order []*call
	for _, n := range notes {
		c := calls[n.Call]
		if c == nil {
			c = &call{id: n.Call, did: map[what]int{}}
			calls[n.Call] = c
			order = append(order, c)
		}
		c.did[n.What]++
		switch n.What {
		case began:
			c.wants = n.Detail
		case hookSilent, hookFailed:
			c.said += n.Detail
		}
	}
	tickets := map[string]*hub.Ticket{}
	verdicts := map[string]int{} // how often a hook received the same about the same in a session
	for _, t := range r.tickets() {
		tickets[t.Ask.ID] = t
		if act := decidedInInbox(t); act != "" && !t.Consumed.IsZero() { // before the hook prints it
			verdicts[string(act)+" "+wanted(t.Ask.Origin.Conversation, t.Ask.Approval.Shown[0].Text)]++
		}
		if id := t.Ask.Origin.ToolCall; id == "" {
			f.counts["call not known"]++
		} else if c := calls[id]; c != nil {
			c.tickets = append(c.tickets, t)
		} else {
			f.wrong = append(f.wrong, fmt.Sprintf("ask %s is of a call that nobody made: %q", t.Ask.ID, id))
		}
	}
	for _, c := range order {
		f.calls++
		f.call(c, verdicts)
	}
	if f.accepted(r, tickets); f.calls == 0 {
		r.Fatal("nothing was called")
	}
	return f
}

// call checks one call.
func (f *findings) call(c *call, verdicts map[string]int) {
	did := func(w what) bool { return c.did[w] > 0 }
	switch n := c.did[ran]; {
	case n > 1:
		f.Errorf(c, "it ran %d times", n)
	case n == 1 && !did(hookAllows) && !did(dialogAllows):
		f.Errorf(c, "it ran without an allow")
	case n == 1:
		f.counts["ran"]++
	}
	// What the hook says is what a person said, each for one call. Which of two equal
	// calls it was for can be mixed up where the hook that learns the id was killed, or
	// where a hook outlives its call: they want to run the same, in the same session.
	if act := c.verdict(); act != "" {
		key := string(act) + " " + c.wants
		if verdicts[key]--; verdicts[key] < 0 {
			f.Errorf(c, "the hook said %s, and nobody else did", act)
		}
		if c.mixedUp() {
			f.counts["under the id of an equal call"]++
		}
	}
	for _, t := range c.tickets {
		f.recorded(c, t)
	}
	if len(c.tickets) > 1 {
		f.counts["asked twice"]++
	}
}

// verdict is what the call's hook said: to allow it, to deny it, or nothing.
func (c *call) verdict() sayso.Act {
	switch {
	case c.did[hookAllows] > 0:
		return sayso.ActAllow
	case c.did[hookDenies] > 0:
		return sayso.ActDeny
	}
	return ""
}

// mixedUp reports whether the hook's verdict was about a request that has the id of an
// equal call, or none. What is recorded under the id of this call is about the equal one.
func (c *call) mixedUp() bool {
	act := c.verdict()
	return act != "" && !slices.ContainsFunc(c.tickets, func(t *hub.Ticket) bool { return decidedInInbox(t) == act })
}

// wanted names what is the same of equal calls.
func wanted(session, command string) string { return session + " " + command }

// recorded compares one record with what happened.
func (f *findings) recorded(c *call, t *hub.Ticket) {
	did := func(w what) bool { return c.did[w] > 0 }
	v := t.Ask.Verdict(t.Outcome)
	there := v != nil && t.Outcome.By.Surface == claude.Surface
	received := !t.Consumed.IsZero()
	overruled := slices.ContainsFunc(t.History, func(e hub.Entry) bool {
		return e.Outcome.By.Surface == claude.Surface && t.Ask.Verdict(e.Outcome).Allowed()
	})
	switch {
	case v == nil:
		f.counts["undecided"]++
		if t.Open() && did(told) {
			f.Missf(c, "the hub was told that it ran, and still asks")
		}
	case there && v.Allowed():
		f.counts["allowed there"]++
		if !did(ran) {
			f.Errorf(c, "recorded as allowed at the terminal, and it did not run")
		}
	case there:
		f.Errorf(c, "recorded as denied at the terminal, which Claude Code never tells")
	case v.Allowed() && received && !did(hookAllows) && did(ended) && !did(ran):
		// The hook takes the decision, so that nobody can undo it any more, and prints it
		// then. Only a hook that ended in between can have kept it.
		f.counts["allowed, taken by a hook that was killed"]++
		if !did(hookFailed) && !did(dialogDenies) && !c.mixedUp() {
			f.Missf(c, "recorded as received, and no allow reached the agent")
		}
	case v.Allowed() && received:
		f.counts["allowed"]++
	case v.Allowed():
		f.counts["allowed, not received"]++
		// A hook that is killed before it has noted its request is not known to the next
		// one. What is recorded is true all the same: this allow reached nobody.
		if did(ran) && did(told) && !overruled && !(did(hookFailed) && did(dialogAllows)) {
			f.Missf(c, "recorded as not received, and it ran")
		}
	case did(ran):
		f.counts["denied too late"]++
		if !did(dialogAllows) && !c.mixedUp() {
			f.Errorf(c, "recorded as denied, and it ran")
		} else if did(told) && !overruled && (received || !did(hookFailed)) { // see above
			f.Missf(c, "recorded as denied, with no word of what had allowed it")
		}
	default:
		f.counts["denied"]++
	}
	if overruled && !did(ran) {
		f.Errorf(c, "recorded as allowed at the terminal after all, and it did not run")
	}
}

// accepted checks that no answer is lost which the hub has accepted.
func (f *findings) accepted(r *run, tickets map[string]*hub.Ticket) {
	notes, err := readJournals(r.dir, "person-")
	if err != nil {
		r.Fatal(err)
	}
	for _, n := range notes {
		if n.What != accepted {
			continue
		}
		f.counts["answers"]++
		t := tickets[n.Call]
		if t == nil {
			f.wrong = append(f.wrong, "an answer was accepted for ask "+n.Call+", which is gone")
		} else if v := t.Ask.Verdict(t.Outcome); v == nil || v.Offer.ID != n.Detail {
			f.wrong = append(f.wrong, fmt.Sprintf("ask %s: %q was accepted, and the hub has %s", n.Call, n.Detail, by(t)))
		}
	}
}

// decidedInInbox returns what a person decided at the hub, "" if nobody did.
func decidedInInbox(t *hub.Ticket) sayso.Act {
	if v := t.Ask.Verdict(t.Outcome); v != nil && t.Outcome.By.Surface == inboxSurface {
		return v.Offer.Act
	}
	return ""
}
