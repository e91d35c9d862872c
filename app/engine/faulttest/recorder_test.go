package faulttest

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// recorder follows all asks at one hub after the other, as a client of event streams does that is cut off and goes on at
// another gateway. What it is told goes into the histories: an event is a read that was over when it came, so nothing may
// be told before it can be read.
type recorder struct {
	l    *linear
	id   string // of the last event
	told map[string]event

	ready                                 bool // it has had a whole snapshot
	events, turns, resets, again, missing int
}

type event struct {
	revision uint64
	state    string
}

// run follows until ctx ends.
func (r *recorder) run(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		turn, cancel := context.WithTimeout(ctx, 200*time.Millisecond+time.Duration(random.Int64N(int64(4*time.Second))))
		r.follow(turn, r.l.hubs[random.IntN(len(r.l.hubs))], func() bool { return false })
		cancel()
	}
}

// follow follows at one hub until it has enough.
func (r *recorder) follow(ctx context.Context, by *hub.Hub, enough func() bool) {
	r.turns++
	f, err := by.Follow(ctx, tenant, nil, r.id)
	if err != nil {
		return
	}
	defer f.Close()
	for !enough() {
		events, err := f.Next(ctx)
		if err != nil {
			return
		}
		for _, e := range events {
			r.take(e)
		}
	}
}

func (r *recorder) take(e hub.FollowEvent) {
	r.id = e.ID
	switch {
	case e.Reset && r.ready:
		r.resets++
	case e.Ready:
		r.ready = true
	}
	if e.Ticket == nil {
		return
	}
	r.events++
	id, now := e.Ticket.Ask.ID, event{e.Ticket.Revision, told(e.Ticket, nil).state}
	if now.revision <= r.told[id].revision {
		if !r.ready {
			return // the first snapshot was cut, and began anew
		}
		if r.again++; r.again <= 3 {
			r.l.t.Errorf("%s is told at revision %d after %d", id, now.revision, r.told[id].revision)
		}
		return
	}
	r.told[id] = now
	if h, ok := r.l.histories.Load(id); ok {
		h.(*history).event(now.state)
	}
}

// event writes down that the ask was in a state before now.
func (h *history) event(state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: -1, Input: input{op: "get"}, Output: output{state: state}, Return: int64(time.Since(began))})
}

// finish follows until it was told the last of all asks, and counts those of which it was not.
func (r *recorder) finish() {
	ctx, cancel := context.WithTimeout(r.l.t.Context(), 2*time.Minute)
	defer cancel()
	unknown := func() (ids []string) {
		for id, want := range r.l.known {
			if state := r.told[id].state; state == "" || want != open && state != want {
				ids = append(ids, id)
			}
		}
		return ids
	}
	for ctx.Err() == nil && len(unknown()) > 0 {
		turn, stop := context.WithTimeout(ctx, 10*time.Second)
		r.follow(turn, r.l.hubs[len(r.l.hubs)-1], func() bool { return len(unknown()) == 0 })
		stop()
	}
	missing := unknown()
	r.missing = len(missing)
	for _, id := range missing[:min(3, len(missing))] {
		r.l.t.Errorf("%s is %s and was told as %+v", id, r.l.known[id], r.told[id])
	}
	if r.resets > 0 || r.turns < 5 {
		r.l.t.Errorf("%d resets in %d turns: the stream did not go on", r.resets, r.turns)
	}
}

func newRecorder(l *linear, random *rand.Rand) (*recorder, *rand.Rand) {
	return &recorder{l: l, told: map[string]event{}}, testenv.Split(random)
}
