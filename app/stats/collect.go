package stats

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// The ways in which asks are put into groups.
const (
	byAgent = iota
	byAsker
	byKind
	byPerson
	dimensions
)

// collector keeps what a report needs of each ask.
type collector struct {
	o       Options
	entries []entry
	names   names
	tenant  string
	damaged int
	cut     bool

	texts map[int32]string // of digests that were seen twice
	rules map[Rule]*found
}

// entry is what is kept of an ask.
type entry struct {
	asked, closed time.Time // closed is zero while it is open
	status        sayso.Status
	human         bool              // a person gave the outcome
	group         [dimensions]int32 // -1: in none
	talk          int32             // the conversation; -1: one of its own
	digest        int32
	person, asker int32 // of the address
	room          int32 // conversation of the address
	id, handle    string
}

// names are strings by number: each is kept once.
type names struct {
	number map[string]int32
	all    []string
}

func (n *names) of(s string) int32 {
	if i, ok := n.number[s]; ok {
		return i
	}
	s = strings.Clone(s) // not the page that it came in
	i := int32(len(n.all))
	n.number[s], n.all = i, append(n.all, s)
	return i
}

func newCollector(o *Options) *collector {
	if o == nil {
		o = &Options{}
	}
	c := &collector{o: *o, names: names{number: map[string]int32{}}, texts: map[int32]string{}, rules: map[Rule]*found{}}
	if c.o.Now.IsZero() {
		c.o.Now = time.Now()
	}
	if c.o.Since.IsZero() {
		c.o.Since = c.o.Now.Add(-Period)
	}
	if c.o.Zone == nil {
		c.o.Zone = time.UTC
	}
	c.o.most = cmp.Or(c.o.most, 1_000_000)
	return c
}

// add keeps what the report needs of an ask, if it waited in the period. One that a
// person asked again is not the agent's, which does not wait for it.
func (c *collector) add(t *hub.Ticket) {
	closed := closedAt(t)
	if t.Again != nil || t.Ask.AskedAt.After(c.o.Now) || t.Outcome != nil && closed.Before(c.o.Since) {
		return
	}
	if len(c.entries) >= c.o.most {
		c.cut = true
		return
	}
	c.tenant = t.Address.Tenant
	_, repeated := c.names.number[t.Digest]
	e := entry{
		asked: t.Ask.AskedAt, closed: closed, status: t.Status(), talk: -1, digest: c.names.of(t.Digest),
		person: c.names.of(t.Address.Person), asker: c.names.of(t.Address.Asker), room: c.names.of(t.Address.Conversation),
		id: strings.Clone(cmp.Or(t.Address.ID, t.Ask.ID)), handle: strings.Clone(t.Handle),
	}
	e.group = [dimensions]int32{c.names.of(t.Ask.Origin.ClaimedName()), c.names.of(sayso.SafeLine(t.Ask.Origin.Asker)), c.names.of(kindOf(t.Ask)), -1}
	if t.Ask.Origin.Conversation != "" {
		e.talk = c.names.of(t.Ask.Origin.Asker + "\x00" + t.Ask.Origin.Conversation)
	}
	if t.Outcome != nil {
		if e.human = t.Outcome.By.Kind.Human(); e.human {
			e.group[byPerson] = c.names.of(sayso.SafeLine(t.Outcome.By.ID))
		}
	}
	if repeated {
		c.texts[e.digest] = shorten(sayso.SafeLine(t.Ask.Questions[0].Text))
	}
	if !e.asked.Before(c.o.Since) {
		for _, f := range Lint(t.Ask) {
			c.find(f, &e)
		}
	}
	c.entries = append(c.entries, e)
}

// closedAt returns when the agent stopped waiting, or the zero time: an answer that was
// changed after the agent had it did not make it wait.
func closedAt(t *hub.Ticket) time.Time {
	if t.Outcome == nil {
		return time.Time{}
	}
	for _, e := range t.History {
		if e.Why == hub.Amended {
			return e.Outcome.At
		}
	}
	return t.Outcome.At
}

// kindOf names the kind of an ask: that of its question, or that of what it wants
// permission for.
func kindOf(a *sayso.Ask) string {
	switch {
	case a.Approval != nil:
		return string(a.Approval.Kind)
	case len(a.Questions) > 1:
		return "several"
	}
	return string(sayso.ByKind(&a.Questions[0], sayso.KindText, sayso.KindChoice, sayso.KindChoices))
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}

// address is that of the ask of an entry.
func (c *collector) address(e *entry) hub.Address {
	n := c.names.all
	return hub.Address{Tenant: c.tenant, Person: n[e.person], Asker: n[e.asker], Conversation: n[e.room], ID: e.id}
}

func (c *collector) handle(e *entry) string {
	if c.o.Handle != nil {
		return c.o.Handle(c.address(e))
	}
	return e.handle
}

// byConversation sorts the entries so that those of a conversation follow each other
// in the order in which they were asked.
func (c *collector) byConversation() {
	slices.SortFunc(c.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.talk, b.talk), a.asked.Compare(b.asked), cmp.Compare(a.id, b.id))
	})
}
