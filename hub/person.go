package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// What a person has lies in small records of [KindPerson] below the person: what is
// about an ask has its asker and its conversation, so that it is erased with it.
const (
	ofPerson = "person" // in the place of an asker, of what is about no ask; shorter than the token of any
	isSnooze = "snooze-"
	isGiven  = "given-"
)

func preferencesAddress(tenant, person string) Address {
	return Address{Tenant: tenant, Person: person, Asker: ofPerson, ID: "preferences"}
}

func activityAddress(tenant, person string) Address {
	return Address{Tenant: tenant, Person: person, Asker: ofPerson, ID: "active"}
}

// aboutAsk is where a person's record about an ask lies.
func aboutAsk(kind, person string, ask Address) Address {
	id := kind + shortHash(16, "sayso about 1", ask.Tenant, ask.Person, ask.Asker, ask.Conversation, ask.ID)
	return Address{Tenant: ask.Tenant, Person: person, Asker: ask.Asker, Conversation: ask.Conversation, ID: id}
}

// putPerson stores what a person has, in place of what is stored: the last one wins.
// Those here who listen know at once.
func (h *Hub) putPerson(ctx context.Context, r Record, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	r.Kind = KindPerson
	r.Data = seal(r.Kind, r.Address, []byte("null"), body)
	p := patience{left: h.opts.Patience}
	for {
		old, err := h.store.Get(ctx, r.Kind, r.Address)
		if err == nil || errors.Is(err, ErrNotFound) {
			if r.Revision, err = h.store.Put(ctx, r, old.Revision); err == nil {
				break
			}
		}
		if err := p.with(ctx, err); err != nil {
			return err
		}
	}
	in := &h.interests
	in.mu.Lock()
	one := in.all[scope{r.Address.Tenant, personal, r.Address.Person}]
	in.mu.Unlock()
	if one != nil {
		h.personal(one, r)
	}
	return nil
}

// readPerson reads what putPerson stored.
func readPerson(r Record, v any) error {
	_, body, err := unseal(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return &CorruptError{Address: r.Address, Problem: "it cannot be read: " + err.Error()}
	}
	return nil
}

// about is a person's record about an ask.
type about struct {
	Ask    Address `json:"ask"`
	Snooze *Snooze `json:"snooze,omitempty"`
	Given  bool    `json:"given,omitempty"` // it lies in another's inbox and was delegated to the person
}

// personState is what is known here of a person's records. It is a part of the interest that
// is told of them, and ends with it.
type personState struct {
	mu      sync.Mutex
	loaded  bool   // all that is stored is known
	doubts  uint64 // how often changes may have been missed
	seen    map[Address]uint64
	snoozed map[Address]about
	given   map[Address]about
	active  activity
	noted   time.Time // the activity that is stored
}

func newPersonState() *personState {
	return &personState{seen: map[Address]uint64{}, snoozed: map[Address]about{}, given: map[Address]about{}}
}

// take takes in a record, and reports whether it was new.
func (st *personState) take(r Record) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if r.Revision <= st.seen[r.Address] {
		return false
	}
	st.seen[r.Address] = r.Revision
	var a about
	switch {
	case strings.HasPrefix(r.Address.ID, isSnooze) && readPerson(r, &a) == nil:
		delete(st.snoozed, r.Address)
		if a.Snooze != nil {
			st.snoozed[r.Address] = a
		}
	case strings.HasPrefix(r.Address.ID, isGiven) && readPerson(r, &a) == nil:
		delete(st.given, r.Address)
		if a.Given {
			st.given[r.Address] = a
		}
	case r.Address == activityAddress(r.Address.Tenant, r.Address.Person):
		var now activity
		if readPerson(r, &now) == nil {
			st.active, st.noted = now, now.At
		}
	}
	return true
}

// personOf returns what is known of a person's records, all of it.
func (h *Hub) personOf(ctx context.Context, tenant, person string) (*personState, error) {
	one := h.use(scope{tenant, personal, person}, nil)
	defer h.leave(one, nil)
	listens := false
	select {
	case <-one.ready:
		listens = true
	default: // it is listed once more, when it listens
	}
	st := one.person
	st.mu.Lock()
	loaded, doubts := st.loaded, st.doubts
	st.mu.Unlock()
	if loaded {
		return st, nil
	}
	q := Query{Kind: KindPerson, Tenant: tenant, Person: &person, Limit: 1000}
	for {
		page, err := h.store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("hub: reading what %q has: %w", person, err)
		}
		for _, r := range page.Records {
			st.take(r)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	st.mu.Lock()
	st.loaded = listens && st.doubts == doubts
	st.mu.Unlock()
	return st, nil
}

// doubt has the records listed again.
func (st *personState) doubt() {
	st.mu.Lock()
	st.loaded = false
	st.doubts++
	st.mu.Unlock()
}

// personal is told of a change of what a person has. Surfaces are told of the ask that
// it is about.
func (h *Hub) personal(one *interest, r Record) {
	before := one.person.waiting(h.now())
	if !one.person.take(r) {
		return
	}
	switch {
	case strings.HasPrefix(r.Address.ID, isSnooze), strings.HasPrefix(r.Address.ID, isGiven):
		h.offer(one, r)
	default: // whoever is back sees again what was put off until then
		h.ended(one, before)
	}
}

// offer tells the surfaces of a person of a record.
func (h *Hub) offer(one *interest, r Record) {
	c := &change{record: r}
	in := &h.interests
	in.mu.Lock()
	defer in.mu.Unlock()
	for sf := range one.surfaces {
		sf.offer(c)
	}
}

// ended tells the surfaces of a person what is no longer snoozed.
func (h *Hub) ended(one *interest, before []Address) {
	now := one.person.waiting(h.now())
	for _, addr := range before {
		if !slices.Contains(now, addr) {
			h.offer(one, Record{Kind: KindPerson, Address: addr})
		}
	}
}

// waiting returns the records of the snoozes that are in force.
func (st *personState) waiting(now time.Time) []Address {
	st.mu.Lock()
	defer st.mu.Unlock()
	var all []Address
	for addr, a := range st.snoozed {
		if a.Snooze.inForce(now, st.active) {
			all = append(all, addr)
		}
	}
	return all
}

// askOf returns the ask that a record of a person is about.
func (h *Hub) askOf(ctx context.Context, r Record) (*Ticket, error) {
	if len(r.Data) == 0 {
		var err error
		if r, err = h.store.Get(ctx, KindPerson, r.Address); err != nil {
			return nil, err
		}
	}
	var a about
	if err := readPerson(r, &a); err != nil {
		return nil, err
	}
	return h.get(ctx, a.Ask, nil)
}

func compareAddresses(a, b Address) int {
	return cmp.Or(cmp.Compare(a.Person, b.Person), cmp.Compare(a.Asker, b.Asker), cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.ID, b.ID))
}
