package notify

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/saysohq/sayso/hub"
)

// The times of attention. Each comes from complaints about programs that do otherwise.
const (
	firstWait   = 20 * time.Second // of a person's first device: who is about to answer is left alone
	attendWait  = 2 * time.Minute  // where the person is at the ask: longer, and not for ever
	attendFor   = time.Minute      // after a key or a tap
	burst       = 5 * time.Second  // asks of one conversation within it are one note
	rateFor     = 10 * time.Minute
	rateMost    = 3 // notes within rateFor; what is more becomes one
	doubtFor    = time.Minute
	maxAtOnce   = 4 // notes on their way to one contact
	nearlyOver  = 10 * time.Second
	maxGroup    = 300 // asks of one note
	machineRate = 32
)

// laters are when the second device and those behind it are told.
var laters = []time.Duration{firstWait, 10 * time.Minute, time.Hour, 4 * time.Hour}

// reminders are when a note that nobody reacted to is shown again, after the first.
var reminders = []time.Duration{10 * time.Minute, time.Hour, 4 * time.Hour}

// view is everything that decides what a person is told.
type view struct {
	now      time.Time
	person   string
	tickets  map[hub.Address]*hub.Ticket
	seen     map[hub.Address]time.Time // when an ask was first seen here
	contacts []*Contact                // the first to be told first
	limits   func(Kind) (Limits, bool) // false: there is no such channel
	prefs    *Prefs
	slots    map[string]map[string]*slot // by contact and id
	attended map[hub.Address]time.Time
	snoozed  map[hub.Address]hub.Snooze
	back     map[hub.Address]time.Time // since when an ask waits again that was put off
	url      func(hub.Address) string
	inbox    string
	leaving  map[string]bool // contacts that were removed: take everything away
}

// put is a note to be shown.
type put struct {
	contact *Contact
	slot    *slot // as it will be written
	was     *slot // as it is; nil: it is new
	note    *Note
	sum     string
	machine bool
}

// plan says what is to be shown now, and when to ask again at the latest; zero: when
// something happens.
func (v *view) plan() (puts []put, next time.Time) {
	at := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for i, c := range v.contacts {
		l, ok := v.limits(c.Kind)
		if !ok || c.Off && !v.leaving[c.ID] {
			continue
		}
		most := maxAtOnce
		if l.Machine {
			most = machineRate
		}
		for _, s := range v.slots[c.ID] {
			if s.busy {
				most--
			}
		}
		mine := v.standing(c, l, at)
		if !v.leaving[c.ID] {
			mine = append(mine, v.fresh(c, l, i, mine, at)...)
		}
		puts = append(puts, mine[:max(0, min(most, len(mine)))]...)
	}
	return puts, next
}

// standing returns what is to change about notes that are shown, those to be taken
// away first.
func (v *view) standing(c *Contact, l Limits, at func(time.Time)) []put {
	var puts []put
	for _, s := range v.slots[c.ID] {
		if s.busy || s.Done || s.Test {
			continue
		}
		if v.now.Before(s.Retry) {
			at(s.Retry)
			continue
		}
		if !s.Sending.IsZero() && s.Alerting && !l.Again {
			// It was sent, or not, when a process ended. It is not sent again: a reminder
			// comes soon instead.
			s.Doubt, s.Sent, s.Sending = true, s.Sending, time.Time{}
		}
		next := s.clone()
		tickets, open := v.about(s)
		alert := false
		if !l.Machine {
			tickets, open = v.present(tickets)
		}
		if open > 0 && !s.Over && !l.Machine && !v.leaving[c.ID] && !v.allMuted(tickets) {
			switch due := v.remindAt(s, tickets); {
			case due.IsZero():
			case v.now.Before(v.free(tickets, due)):
				at(v.free(tickets, due))
			default:
				alert = true
				if s.Sending.IsZero() || !s.Alerting { // otherwise it is the same round: the device shows it once
					next.Round = v.round(s, tickets)
				}
			}
		}
		if open > 0 && s.Over { // somebody took an answer back, or it was put off
			alert = alert || !l.Machine && !v.leaving[c.ID] && v.isBack(s, tickets)
			next.Token, next.First, next.Round, next.Over = newSlot("", "").Token, v.now, 0, false
		}
		p := v.compose(c, l, next, tickets, alert)
		p.was = s
		switch {
		case alert:
		case open > 0 && s.Doubt && s.Where == "" && !v.leaving[c.ID]:
			continue // it may not be there to be changed: it waits for its reminder
		case p.sum == s.Shown && s.Sending.IsZero():
			continue
		}
		puts = append(puts, p)
	}
	slices.SortFunc(puts, func(a, b put) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.slot.First.Compare(b.slot.First), cmp.Compare(a.slot.id, b.slot.id))
	})
	reminded := 0
	return slices.DeleteFunc(puts, func(p put) bool {
		if !p.note.Alert || p.slot.Round == 0 {
			return false
		}
		if v.told(c, p.slot.id)+reminded >= rateMost { // not all at once
			at(v.now.Add(time.Minute))
			return true
		}
		reminded++
		return false
	})
}

// allMuted reports whether the person wants to hear nothing of any of these.
func (v *view) allMuted(tickets []*hub.Ticket) bool {
	for _, t := range tickets {
		if yes, _ := v.prefs.muted(t, v.now); t.Open() && !yes {
			return false
		}
	}
	return true
}

func rank(p put) int {
	switch {
	case p.note.Over:
		return 0
	case !p.note.Alert:
		return 1
	}
	return 2
}

// about returns the tickets of a slot, and how many of them are open.
func (v *view) about(s *slot) (tickets []*hub.Ticket, open int) {
	for _, a := range s.Asks {
		t := v.tickets[a]
		if t == nil {
			continue // it is gone, and nobody can say how it ended
		}
		tickets = append(tickets, t)
		if t.Open() {
			open++
		}
	}
	return tickets, open
}

// stored returns the tickets of a slot that are known, also those that are put off.
func (v *view) stored(s *slot) []*hub.Ticket {
	all, _ := v.about(s)
	return all
}

// remindAt returns when the note is to be shown again; zero: not any more.
func (v *view) remindAt(s *slot, tickets []*hub.Ticket) time.Time {
	if s.Doubt {
		return s.Sent.Add(doubtFor)
	}
	if s.Sent.IsZero() {
		return v.now // it has not been told yet, as the channel failed
	}
	times := v.reminders(s, tickets)
	switch {
	case s.Round >= len(times):
		return time.Time{}
	case len(times) == len(reminders): // a deadline does not wait
		return later(times[s.Round], s.Sent.Add(rateFor))
	}
	return times[s.Round]
}

// reminders are the times of the reminders of a note.
func (v *view) reminders(s *slot, tickets []*hub.Ticket) []time.Time {
	if len(s.Asks) == 1 && len(tickets) == 1 && !tickets[0].Ask.Deadline.IsZero() {
		t := tickets[0]
		from := v.base(t)
		left := t.Ask.Deadline.Sub(from)
		var times []time.Time
		for _, at := range []time.Time{from.Add(left / 2), from.Add(left / 10 * 9)} {
			if at.Sub(s.First) > nearlyOver {
				times = append(times, at)
			}
		}
		return times
	}
	times := make([]time.Time, len(reminders))
	for i, d := range reminders {
		times[i] = s.First.Add(d)
	}
	return times
}

// round is the number of the round that is due: those that were missed are left out.
func (v *view) round(s *slot, tickets []*hub.Ticket) int {
	if s.Sent.IsZero() {
		return s.Round
	}
	r := s.Round + 1
	for i, at := range v.reminders(s, tickets) {
		if !v.now.Before(at) {
			r = max(r, i+1)
		}
	}
	return r
}

// free returns when the person may be told: at the time, or behind quiet hours. While
// somebody's answer is held, nobody is reminded.
func (v *view) free(tickets []*hub.Ticket, at time.Time) time.Time {
	at = later(at, heldUntil(tickets))
	when := at
	if when.Before(v.now) {
		when = v.now
	}
	until := v.prefs.quietUntil(when)
	for _, t := range tickets {
		if t.Open() && v.prefs.breaks(t, until) {
			return at
		}
	}
	if !until.After(when) {
		return at
	}
	return until
}

// heldUntil returns when the last of the open asks counts as answered, if all of them are held;
// zero if one of them is not.
func heldUntil(tickets []*hub.Ticket) (until time.Time) {
	for _, t := range tickets {
		switch {
		case !t.Open():
		case t.Held == nil:
			return time.Time{}
		default:
			until = later(until, t.Held.Until.Add(time.Second))
		}
	}
	return until
}

// base is since when an ask waits: since it was asked, or since an answer was taken
// back. What the asker says about the future does not count.
func (v *view) base(t *hub.Ticket) time.Time {
	at := t.Ask.AskedAt
	if seen := v.seen[t.Address]; !seen.IsZero() && seen.Before(at) {
		at = seen
	}
	for _, e := range t.History {
		if e.Why == hub.Undone && e.At.After(at) {
			at = e.At
		}
	}
	if d := t.DelegatedTo(v.person); v.person != "" && d != nil && d.At.After(at) {
		at = d.At
	}
	return at
}

// told counts the notes that a contact was told of lately, but for one.
func (v *view) told(c *Contact, but string) int {
	count := 0
	for id, s := range v.slots[c.ID] {
		if id != but && !s.Test && (v.now.Sub(s.Sent) < rateFor || s.Attempts > 0 && v.now.Sub(s.First) < rateFor || s.Alerting && v.now.Sub(s.Sending) < rateFor || s.busy && s.Alerting) {
			count++
		}
	}
	return count
}

// compose writes the note.
func (v *view) compose(c *Contact, l Limits, s *slot, tickets []*hub.Ticket, alert bool) put {
	var open []*hub.Ticket
	for _, t := range tickets {
		if t.Open() {
			open = append(open, t)
		}
	}
	s.bind(open)
	s.Opened = s.Opened && !alert // a lock screen shows it again
	m := &Matter{Key: s.key(c), Token: s.Token, Round: s.Round, Alert: alert, Opened: s.Opened, Asks: tickets, Later: len(tickets) == 0 && len(v.stored(s)) > 0, Inbox: v.inbox, Now: v.now}
	switch {
	case len(open) == 1:
		m.URL = v.url(open[0].Address)
	case len(tickets) == 1:
		m.URL = v.url(tickets[0].Address)
	}
	n := Compose(c, l, m)
	if v.leaving[c.ID] {
		n.Over, n.Waiting, n.Alert, n.Buttons = true, 0, false, nil
		n.Text = "This account is not notified any more."
	}
	if len(open) == 1 && len(s.Asks) > 1 { // the last one of a group can be answered
		s.Options = nil
		for _, o := range open[0].Ask.Questions[0].Options {
			s.Options = append(s.Options, o.ID)
		}
	}
	p := put{contact: c, slot: s, note: n, machine: l.Machine}
	p.sum = n.sum(l)
	return p
}

// sum stands for what the note shows, but for whether it makes itself noticed.
func (n *Note) sum(l Limits) string {
	if l.Machine {
		return hashed("machine", map[bool]string{true: "over"}[n.Over])
	}
	buttons, _ := json.Marshal(n.Buttons)
	return hashed(n.Title, n.Body, n.Text, n.URL, string(buttons), map[bool]string{true: "over"}[n.Over])
}
