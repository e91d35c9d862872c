package clustertest

import (
	"context"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/historytest"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// recorder follows all asks on a stream that is cut again and again and goes on at another hub. What it is told goes into
// the histories: an event is a read that was over when it came, so nothing may be told before it can be read.
type recorder struct {
	l  *linear
	by *client.Client

	mu sync.Mutex
	historytest.Stream
	missing int
}

func newRecorder(l *linear, by *client.Client) *recorder {
	return &recorder{l: l, by: by, Stream: historytest.Stream{Whole: make(chan struct{})}}
}

// start follows until the returned function is called.
func (r *recorder) start() (stop func()) {
	ctx, cancel := context.WithCancel(r.l.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := r.by.Watch(ctx, nil, r.take); err != nil && ctx.Err() == nil {
			r.l.t.Errorf("the stream: %v", err)
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (r *recorder) take(c hub.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Mark(c.Reset, c.Ready)
	if c.Ticket == nil {
		return
	}
	id, now := c.Ticket.Ask.ID, historytest.Event{Revision: c.Ticket.Revision, State: told(c.Ticket, nil).State}
	if !r.Tell(r.l.t, id, now) {
		return
	}
	if h, ok := r.l.histories.Load(id); ok {
		h.(*history).Event(now.State)
	}
}

// finish waits until the stream has told the last state of all asks, and counts those of which it has not.
func (r *recorder) finish(stop func()) {
	for deadline := time.Now().Add(patience); len(r.untold()) > 0 && time.Now().Before(deadline); {
		<-time.After(50 * time.Millisecond)
	}
	stop()
	missing := r.untold()
	r.missing = len(missing)
	for _, id := range missing[:min(3, len(missing))] {
		r.l.t.Errorf("%s is %s and was told as %+v", id, r.l.known[id].state, r.Told[id])
	}
	if r.Resets > 0 {
		r.l.t.Errorf("%d resets: the stream did not go on", r.Resets)
	}
}

// untold are the asks of which clients know more than the stream has told.
func (r *recorder) untold() (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, want := range r.l.known {
		if state := r.Told[id].State; state == "" || !keeps(want.state, state) {
			ids = append(ids, id)
		}
	}
	return ids
}
