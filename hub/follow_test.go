package hub

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

// followed is a person whose follower is cut off and goes on at one of two hubs.
type followed struct {
	t    *testing.T
	hubs []*Hub
	id   string
	seen map[string]uint64
}

func newFollowed(t *testing.T) *followed {
	store := NewMemory(nil)
	f := &followed{t: t, seen: map[string]uint64{}}
	for range 2 {
		h, err := Open(t.Context(), store, &Options{Spread: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Stop)
		f.hubs = append(f.hubs, h)
	}
	return f
}

// ask stores an ask to the person or to everybody.
func (f *followed) ask(i int) {
	f.t.Helper()
	a := &sayso.Ask{ID: fmt.Sprint(i), Questions: []sayso.Question{{ID: "q", Text: "Which?"}}}
	if i%3 == 0 {
		a.To = []string{"ada"}
	}
	if _, err := f.hubs[i%2].Submit(f.t.Context(), "acme", a); err != nil {
		f.t.Fatal(err)
	}
}

// follow returns a follower that goes on from the last event that was read.
func (f *followed) follow(i int) *Follower {
	f.t.Helper()
	fw, err := f.hubs[i%2].Follow(f.t.Context(), "acme", &Filter{Person: "ada"}, f.id)
	if err != nil {
		f.t.Fatal(err)
	}
	return fw
}

// read takes the next events, n at most, and is cut off there.
func (f *followed) read(fw *Follower, n int) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	events, err := fw.Next(ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, e := range events[:min(n, len(events))] {
		f.id = e.ID
		if e.Ticket == nil {
			continue
		}
		id := e.Ticket.Ask.ID
		if f.seen[id] >= e.Ticket.Revision {
			f.t.Errorf("ask %s is told at revision %d after %d", id, e.Ticket.Revision, f.seen[id])
		}
		f.seen[id] = e.Ticket.Revision
	}
}

// A follower that is cut off while it catches up goes on from there, and comes to
// the end.
func TestFollowCutWhileCatchingUp(t *testing.T) {
	const asks = 300
	f := newFollowed(t)
	fw := f.follow(0)
	for f.id == "" { // until it is ready
		f.read(fw, 2)
	}
	fw.Close()
	for i := range asks {
		f.ask(i)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := 0; len(f.seen) < asks && i < asks; i++ {
		fw := f.follow(i)
		f.read(fw, 1+rng.IntN(20))
		fw.Close()
	}
	if len(f.seen) != asks {
		t.Errorf("%d of %d asks were told", len(f.seen), asks)
	}
}

// What a follower in doubt tells ahead of its position is not told again to who was
// cut off then, and what it could not tell is told.
func TestFollowCutInDoubt(t *testing.T) {
	f := newFollowed(t)
	fw := f.follow(0)
	for f.id == "" { // until it is ready
		f.read(fw, 2)
	}
	for i := range 10 { // one after the other, so that the last is heard
		f.ask(i)
		f.read(fw, 1)
	}
	fw.s.take()
	f.ask(10)
	for { // it is rung, and lost
		if queue, _ := fw.s.take(); len(queue) > 0 {
			break
		}
		<-fw.s.wake
	}
	fw.s.lose(false)
	for i := range 5 {
		f.ask(11 + i)
		f.read(fw, 1)
	}
	fw.Close()
	if len(f.seen) != 15 || f.seen["10"] != 0 {
		t.Fatalf("before the cut: %v", f.seen)
	}
	fw = f.follow(1)
	defer fw.Close()
	f.read(fw, 10)
	if len(f.seen) != 16 || f.seen["10"] == 0 {
		t.Errorf("after the cut: %v", f.seen)
	}
}
