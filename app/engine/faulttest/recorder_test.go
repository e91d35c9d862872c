package faulttest

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/saysohq/sayso/app/historytest"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// recorder follows all asks at one hub after the other, as a client of event streams does that is cut off and goes on at
// another gateway. What it is told goes into the histories: an event is a read that was over when it came, so nothing may
// be told before it can be read.
type recorder struct {
	l  *linear
	id string // of the last event
	historytest.Stream
	turns, missing int
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
	r.Mark(e.Reset, e.Ready)
	if e.Ticket == nil {
		return
	}
	id, now := e.Ticket.Ask.ID, historytest.Event{Revision: e.Ticket.Revision, State: told(e.Ticket, nil).State}
	if !r.Tell(r.l.t, id, now) {
		return
	}
	if h, ok := r.l.histories.Load(id); ok {
		h.(*history).Event(now.State)
	}
}

// finish follows until it was told the last of all asks, and counts those of which it was not.
func (r *recorder) finish() {
	ctx, cancel := context.WithTimeout(r.l.t.Context(), 2*time.Minute)
	defer cancel()
	unknown := func() (ids []string) {
		for id, want := range r.l.known {
			if state := r.Told[id].State; state == "" || want != historytest.Open && state != want {
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
		r.l.t.Errorf("%s is %s and was told as %+v", id, r.l.known[id], r.Told[id])
	}
	if r.Resets > 0 || r.turns < 5 {
		r.l.t.Errorf("%d resets in %d turns: the stream did not go on", r.Resets, r.turns)
	}
}

func newRecorder(l *linear, random *rand.Rand) (*recorder, *rand.Rand) {
	return &recorder{l: l, Stream: historytest.Stream{Whole: make(chan struct{})}}, testenv.Split(random)
}
