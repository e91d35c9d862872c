package notify

import (
	"time"

	"github.com/saysohq/sayso/hub"
)

// What a person has snoozed or delegated does not wait for them. Nothing is told of it,
// and what stands is taken away. When it waits for them again, that is told like a
// question that is new.

// putOff reports whether the person has put the ask off, and until when; zero: until
// something happens.
func (v *view) putOff(t *hub.Ticket) (until time.Time, yes bool) {
	if !t.Open() {
		return time.Time{}, false
	}
	if s, ok := v.snoozed[t.Address]; ok {
		return s.Until, true
	}
	return time.Time{}, v.person != "" && t.DelegatedBy(v.person) != nil
}

// present returns the tickets without those that are put off, and how many are open.
func (v *view) present(tickets []*hub.Ticket) (rest []*hub.Ticket, open int) {
	for _, t := range tickets {
		if _, off := v.putOff(t); off {
			continue
		}
		rest = append(rest, t)
		if t.Open() {
			open++
		}
	}
	return rest, open
}

// isBack reports whether one of the tickets waits again since the note was shown.
func (v *view) isBack(s *slot, tickets []*hub.Ticket) bool {
	for _, t := range tickets {
		if t.Open() && v.back[t.Address].After(s.Sent) {
			return true
		}
	}
	return false
}

// notePutOff notes what is put off, and since when what was is not any more.
func (p *person) notePutOff(v *view) {
	off := map[hub.Address]bool{}
	for a, t := range p.tickets {
		if _, yes := v.putOff(t); yes {
			off[a] = true
		}
	}
	for a := range p.off {
		if t := p.tickets[a]; t != nil && t.Open() && !off[a] {
			p.back[a] = v.now
		}
	}
	for a := range p.back {
		if p.tickets[a] == nil {
			delete(p.back, a)
		}
	}
	p.off = off
}

// delegated says who delegated an ask to the person, with their comment if it may be
// shown.
func delegated(t *hub.Ticket, person string, comment bool) string {
	d := t.DelegatedTo(person)
	switch {
	case d == nil || person == "" || !t.Open():
		return ""
	case d.Comment == "" || !comment:
		return cut(d.From, 60) + " delegated this to you."
	}
	return cut(d.From, 60) + " delegated this to you: “" + cut(d.Comment, maxBody) + "”"
}

// delegated adds who delegated the ask to the person, and what they say.
func (n *Note) delegated(c *Contact, l Limits, t *hub.Ticket, opened bool) {
	d := detailOf(c, []*hub.Ticket{t})
	if d == DetailCount {
		return
	}
	words := delegated(t, c.Person, d == DetailText)
	if words == "" {
		return
	}
	n.Body = words + "\n" + n.Body
	if n.Text == "" {
		return
	}
	if more := delegated(t, c.Person, d == DetailText || l.Behind || opened) + "\n\n" + n.Text; l.size(more) <= l.Text {
		n.Text = more
	}
}
