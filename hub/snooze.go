package hub

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// BackAfter is how long a person has to have done nothing to be back with what they do
// next.
const BackAfter = 30 * time.Minute

const (
	snoozeMost   = 30 * 24 * time.Hour // the longest snooze
	snoozeBefore = 10 * time.Minute    // a snooze ends so long before the deadline of the ask
	noteActive   = 5 * time.Minute     // how old a stored activity may be
)

// ErrSnooze says that an ask cannot be snoozed in this way.
var ErrSnooze = errors.New("hub: this ask cannot be snoozed until then")

// activity is when a person did something.
type activity struct {
	At   time.Time `json:"at"`   // the last time, to within noteActive
	Back time.Time `json:"back"` // the first time after a while without
}

// inForce reports whether the person does not want to see the ask now.
func (s *Snooze) inForce(now time.Time, a activity) bool {
	switch {
	case !s.Until.IsZero() && !now.Before(s.Until):
		return false
	case s.Back:
		return !a.Back.After(s.Since)
	}
	return !s.Until.IsZero()
}

// Snooze hides an ask from what waits for a person, until a time or until the person
// is back: does something at an inbox after [BackAfter] without doing anything. Nil
// ends a snooze. Nobody else is affected, and the asker does not know.
//
// It ends by itself ten minutes before the deadline of the ask, when the ask is
// delegated to the person, and after 30 days.
func (h *Hub) Snooze(ctx context.Context, seen *Ticket, person string, s *Snooze) error {
	if err := h.Active(ctx, seen.Address.Tenant, person); err != nil { // before, since being back ends it
		return err
	}
	t, err := h.get(ctx, seen.Address, nil)
	if err != nil {
		return fmt.Errorf("hub: snoozing: %w", err)
	}
	now, kept := h.now(), about{Ask: t.Address}
	ttl := time.Minute // of one that says that it has ended
	switch {
	case person != "" && !t.MayAnswer(person):
		return fmt.Errorf("hub: snoozing: %w", ErrNotAllowed)
	case s == nil:
	case !t.Open():
		return &ClosedError{Ticket: t}
	default:
		until := now.Add(snoozeMost)
		if !t.Ask.Deadline.IsZero() && t.Ask.Deadline.Add(-snoozeBefore).Before(until) {
			until = t.Ask.Deadline.Add(-snoozeBefore)
		}
		switch {
		case !s.Back && !s.Until.After(now):
			return refused(ErrSnooze, "until", "is %s, which has passed", s.Until.Format(time.RFC3339))
		case !until.After(now):
			return refused(ErrSnooze, "until", "is too late: the question expires at %s", t.Ask.Deadline.Format(time.RFC3339))
		case !s.Until.IsZero() && s.Until.Before(until):
			until = s.Until.UTC()
		}
		kept.Snooze = &Snooze{Until: until, Back: s.Back, Since: now}
		ttl = until.Sub(now) + time.Hour
	}
	if err := h.putPerson(ctx, Record{Address: aboutAsk(isSnooze, person, t.Address), TTL: ttl}, &kept); err != nil {
		return fmt.Errorf("hub: snoozing: %w", err)
	}
	return nil
}

// Snoozed returns what a person does not want to see now. The map is the caller's.
// What this hub stores is in it at once, what another stores a moment later.
func (h *Hub) Snoozed(ctx context.Context, tenant, person string) (map[Address]Snooze, error) {
	st, err := h.personOf(ctx, tenant, person)
	if err != nil {
		return nil, err
	}
	now := h.now()
	st.mu.Lock()
	defer st.mu.Unlock()
	all := make(map[Address]Snooze, len(st.snoozed))
	for _, a := range st.snoozed {
		if a.Snooze.inForce(now, st.active) {
			all[a.Ask] = *a.Snooze
		}
	}
	return all, nil
}

// Active notes that a person does something at an inbox: opens it, answers, types.
// Surfaces that look by themselves, because something has changed, do not call it.
func (h *Hub) Active(ctx context.Context, tenant, person string) error {
	st, err := h.personOf(ctx, tenant, person)
	if err != nil {
		return err
	}
	now := h.now()
	st.mu.Lock()
	next, stored := activity{At: now, Back: st.active.Back}, st.noted
	if now.Sub(st.active.At) >= BackAfter {
		next.Back = now
	} else {
		st.active.At = now
	}
	st.mu.Unlock()
	if next.Back != now && now.Sub(stored) < noteActive {
		return nil
	}
	if err := h.putPerson(ctx, Record{Address: activityAddress(tenant, person), TTL: 2 * snoozeMost}, &next); err != nil {
		return fmt.Errorf("hub: noting that %q is there: %w", person, err)
	}
	return nil
}

// wakeSnoozed tells surfaces what is no longer snoozed, at every tick.
func (h *Hub) wakeSnoozed(before time.Time) {
	in := &h.interests
	in.mu.Lock()
	var all []*interest
	for _, one := range in.all {
		if one.by == personal && len(one.surfaces) > 0 {
			all = append(all, one)
		}
	}
	in.mu.Unlock()
	for _, one := range all {
		h.ended(one, one.person.waiting(before))
	}
}

func (in *inbox) Snooze(ctx context.Context, seen *Ticket, s *Snooze) error {
	if err := in.owns(seen.Address); err != nil {
		return err
	}
	return in.hub.Snooze(ctx, seen, in.by.ID, s)
}

// Active notes that the person does something at the inbox: see [Hub.Active].
func (in *inbox) Active(ctx context.Context) error {
	return in.hub.Active(ctx, in.tenant, in.by.ID)
}
