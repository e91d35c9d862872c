package notify

import (
	"cmp"
	"slices"
	"time"

	"github.com/saysohq/sayso/hub"
)

// fresh returns the notes about asks that the contact does not tell of yet.
func (v *view) fresh(c *Contact, l Limits, order int, others []put, at func(time.Time)) []put {
	told := map[hub.Address]bool{}
	for _, s := range v.slots[c.ID] {
		for _, a := range s.Asks {
			t := v.tickets[a]
			told[a] = told[a] || !s.Done || s.gaveUp() || l.Machine && s.Over && t != nil && !t.Open()
		}
	}
	var due, held, near []*hub.Ticket
	for _, t := range v.tickets {
		if told[t.Address] || !v.concerns(t) {
			continue
		}
		if l.Machine {
			due = append(due, t) // closed ones too: a program waits for that
			continue
		}
		if !t.Open() {
			continue
		}
		if until, off := v.putOff(t); off {
			at(until)
			continue
		}
		if t.Held != nil { // somebody has answered: unless it is taken back, nobody is needed
			at(t.Held.Until.Add(time.Second))
			continue
		}
		if yes, until := v.prefs.muted(t, v.now); yes {
			at(until)
			continue
		}
		when, wake := v.due(c, t, order)
		at(wake)
		until := v.prefs.quietUntil(later(when, v.now))
		switch {
		case v.now.Before(when):
			at(when)
			near = append(near, t)
		case v.prefs.breaks(t, until) || !until.After(v.now):
			if v.heldBack(when, t) {
				held = append(held, t)
			} else {
				due = append(due, t)
			}
		default:
			at(until)
		}
	}
	for _, list := range []*[]*hub.Ticket{&due, &held, &near} {
		v.sort(*list)
	}
	if l.Machine {
		var puts []put
		for _, t := range due {
			puts = append(puts, v.first(c, l, []*hub.Ticket{t}, true))
		}
		return puts
	}
	var puts []put
	if len(held) > 0 { // the end of quiet hours
		puts = append(puts, v.first(c, l, held[:min(len(held), maxGroup)], true))
	}
	count := v.told(c, "") + len(puts)
	for _, p := range others {
		if p.note.Alert {
			count++ // a reminder that goes out now
		}
	}
	for len(due) > 0 {
		together := v.together(due, near)
		due = slices.DeleteFunc(due, func(t *hub.Ticket) bool { return slices.Contains(together, t) })
		near = slices.DeleteFunc(near, func(t *hub.Ticket) bool { return slices.Contains(together, t) })
		if count >= rateMost {
			rest := append(together, due...)
			if p, ok := v.join(c, l, rest, others); ok {
				puts = append(puts, p)
			}
			break
		}
		puts = append(puts, v.first(c, l, together, true))
		count++
	}
	return puts
}

// concerns reports whether the person is to be told of the ask at all.
func (v *view) concerns(t *hub.Ticket) bool {
	return v.person == "" || v.prefs.Shared || t.Address.Person == v.person || slices.Contains(t.Ask.To, v.person) || t.DelegatedTo(v.person) != nil
}

// due returns when the contact is to be told of the ask, and when that may change.
func (v *view) due(c *Contact, t *hub.Ticket, order int) (when, wake time.Time) {
	base, after := v.base(t), c.After
	lead, first := v.lead(c, order)
	if first {
		after = min(after, lead)
		if d := t.Ask.Deadline; !d.IsZero() {
			after = min(after, d.Sub(base)/2)
		}
	}
	when = base.Add(after)
	if !first { // quiet hours hold back all devices, and not only the first
		told := base.Add(lead)
		if until := v.prefs.quietUntil(told); until.After(told) && !v.prefs.breaks(t, until) {
			when = when.Add(until.Sub(told))
		}
	}
	if last, ok := v.attended[t.Address]; ok && v.now.Sub(last) < attendFor && after < attendWait {
		if d := t.Ask.Deadline; d.IsZero() || d.Sub(base) > 2*attendWait {
			when = base.Add(attendWait)
			wake = last.Add(attendFor)
		}
	}
	return when, wake
}

// lead reports whether the contact is the first one that works, and when the first of
// all would be told: a device that fails must not hold anything up.
func (v *view) lead(c *Contact, order int) (after time.Duration, first bool) {
	after, first = c.After, true
	for _, before := range v.contacts[:order] {
		l, ok := v.limits(before.Kind)
		if l.Machine {
			continue
		}
		after = min(after, before.After)
		if ok && !before.Off && before.Failing.IsZero() {
			first = false
		}
	}
	return after, first
}

// heldBack reports whether the ask would have been told earlier, but for quiet hours
// or a mute that have just ended.
func (v *view) heldBack(when time.Time, t *hub.Ticket) bool {
	return v.prefs.quietUntil(when).After(when) && !v.prefs.breaks(t, v.prefs.quietUntil(when))
}

// together returns the first ask that is due with those of the same conversation that
// came in the same moment.
func (v *view) together(due, near []*hub.Ticket) []*hub.Ticket {
	first := due[0]
	all := []*hub.Ticket{first}
	if first.Address.Conversation == "" {
		return all
	}
	for _, t := range append(slices.Clone(due[1:]), near...) {
		if t.Address.Conversation == first.Address.Conversation && v.base(t).Sub(v.base(first)).Abs() <= burst && len(all) < maxGroup {
			all = append(all, t)
		}
	}
	return all
}

// first is a new note.
func (v *view) first(c *Contact, l Limits, tickets []*hub.Ticket, alert bool) put {
	id := askSlot(tickets[0].Address)
	if len(tickets) > 1 {
		id = "g" + hashed(id, v.now.UTC().Format(time.RFC3339Nano))
	}
	s := newSlot(c.ID, id)
	if old := v.slots[c.ID][id]; old != nil {
		s.revision = old.revision
	}
	s.First = v.now
	s.about(tickets)
	return v.compose(c, l, s, tickets, alert)
}

// join adds asks to the note that already stands for several, or begins one: people
// who get many get one.
func (v *view) join(c *Contact, l Limits, tickets []*hub.Ticket, others []put) (put, bool) {
	var group *slot
	for _, s := range v.slots[c.ID] {
		if _, open := v.about(s); s.group() && !s.Done && !s.Over && open > 0 && (group == nil || s.First.After(group.First)) {
			group = s
		}
	}
	if group == nil {
		p := v.first(c, l, tickets[:min(len(tickets), maxGroup)], true)
		if !p.slot.group() { // it will have company
			p.slot.id = "g" + hashed(p.slot.id, v.now.UTC().Format(time.RFC3339Nano))
			p.slot.revision = 0
			p = v.compose(c, l, p.slot, tickets, true)
		}
		return p, true
	}
	if group.busy || v.now.Before(group.Retry) || !group.Sending.IsZero() || slices.ContainsFunc(others, func(p put) bool { return p.slot.id == group.id }) {
		return put{}, false // it is about to change, and then there is another plan
	}
	known, _ := v.about(group)
	known, _ = v.present(known)
	known = slices.DeleteFunc(known, func(t *hub.Ticket) bool { return !t.Open() })
	if len(known) >= maxGroup {
		return put{}, false
	}
	s := group.clone()
	s.about(append(known, tickets[:min(len(tickets), maxGroup-len(known))]...))
	all, _ := v.about(s)
	alert := v.now.Sub(group.Sent) >= rateFor
	if alert {
		s.Round++
	}
	p := v.compose(c, l, s, all, alert)
	p.was = group
	return p, true
}

// sort puts the ask that waits longest first.
func (v *view) sort(all []*hub.Ticket) {
	slices.SortFunc(all, func(a, b *hub.Ticket) int {
		return cmp.Or(v.base(a).Compare(v.base(b)), cmp.Compare(a.Address.ID, b.Address.ID), cmp.Compare(a.Address.Asker, b.Address.Asker))
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
