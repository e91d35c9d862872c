package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// held is an answer that does not count yet.
type held struct {
	Handle, Title string
	Said          string // what it says, in short
	Nonce         string
	Left          int64  // milliseconds until it counts
	Words         string // when it goes out
	Own           bool   // the person may take it back
}

// heldMost is how many held answers the site remembers of one person.
const heldMost = 50

// heldAsks remembers which asks the people of this site have answered a moment ago, so
// that every page can offer to undo them. The hub has the answers; what is forgotten
// here can be undone on the page of the ask.
type heldAsks struct {
	mu sync.Mutex
	by map[streamsOf][]heldAsk
}

type heldAsk struct {
	addr  hub.Address
	until time.Time
}

// add notes an answer that is held.
func (h *heldAsks) add(who *auth.Principal, t *hub.Ticket) {
	if t.Held == nil {
		return
	}
	key := streamsOf{tenant: who.Tenant, person: who.ID}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil {
		h.by = map[streamsOf][]heldAsk{}
	}
	all := slices.DeleteFunc(h.by[key], func(a heldAsk) bool { return a.addr == t.Address })
	all = append(all, heldAsk{t.Address, t.Held.Until})
	h.by[key] = all[max(0, len(all)-heldMost):]
}

// of returns the asks that may be held still.
func (h *heldAsks) of(who *auth.Principal, now time.Time) []heldAsk {
	key := streamsOf{tenant: who.Tenant, person: who.ID}
	h.mu.Lock()
	defer h.mu.Unlock()
	all := slices.DeleteFunc(h.by[key], func(a heldAsk) bool { return now.After(a.until) })
	if len(all) == 0 {
		delete(h.by, key)
		return nil
	}
	h.by[key] = all
	return slices.Clone(all)
}

// held makes the view of an answer that is held.
func (rd *reader) held(t *hub.Ticket) *held {
	left := t.Held.Until.Sub(rd.now)
	shown := decided(t)
	said := rd.inShort(shown)
	if said == "" {
		said = rd.headline(shown)
	}
	return &held{
		Title: title(t.Ask), Said: said, Nonce: t.Held.Nonce, Left: max(left.Milliseconds(), 0),
		Words: rd.Count(rd.Web.SendsIn, int((max(left, 0)+time.Second-1)/time.Second)), Own: hub.SameResponder(t.Held.Outcome.By, rd.by()),
	}
}

// heldBar is what the person has answered and can still undo, the newest first.
func (s *Site) heldBar(ctx context.Context, rd *reader) (bar []*held) {
	if rd.who == nil {
		return nil
	}
	for _, a := range slices.Backward(s.held.of(rd.who, rd.now)) {
		t, err := s.hub.Get(ctx, a.addr)
		if err != nil || t.Held == nil || !t.Open() || !hub.SameResponder(t.Held.Outcome.By, rd.by()) {
			continue
		}
		h := rd.held(t)
		h.Handle = s.hub.Handle(t.Address)
		bar = append(bar, h)
	}
	return bar
}
