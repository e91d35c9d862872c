package mcp

import (
	"context"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// follower waits for any number of asks over one stream of events, where a client
// by itself holds a connection for each. The stream lasts while somebody waits.
//
// A wait registers before it reads, and reads again when the stream had to begin
// anew without telling of the ask, so no outcome is missed; where there is no
// stream, the client waits by itself.
type follower struct {
	hub.Asker
	conversation string        // only its asks are told of
	places       chan struct{} // requests at a time that do not wait

	mu  sync.Mutex
	now *stream // nil: nobody waits
}

// atOnce is how many of those there are: each takes a connection.
const atOnce = 16

func follow(h hub.Asker, conversation string) *follower {
	return &follower{Asker: h, conversation: conversation, places: make(chan struct{}, atOnce)}
}

// Submit stores an ask; see [client.Client.Submit].
func (f *follower) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	if err := f.place(ctx); err != nil {
		return nil, err
	}
	defer f.leavePlace()
	return f.Asker.Submit(ctx, a)
}

// Get returns a ticket; see [client.Client.Get].
func (f *follower) Get(ctx context.Context, id string) (*hub.Ticket, error) {
	if err := f.place(ctx); err != nil {
		return nil, err
	}
	defer f.leavePlace()
	return f.Asker.Get(ctx, id)
}

// Decisions returns what was decided before; see [hub.Recaller].
func (f *follower) Decisions(ctx context.Context, d *hub.Decisions) ([]*hub.Ticket, error) {
	if err := f.place(ctx); err != nil {
		return nil, err
	}
	defer f.leavePlace()
	return hub.Recall(ctx, f.Asker, d)
}

func (f *follower) place(ctx context.Context) error {
	select {
	case f.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *follower) leavePlace() { <-f.places }

type stream struct {
	waits map[string][]chan *hub.Ticket // by handle; nil is sent when the stream cannot tell
	open  map[string]bool               // asks told as open since the last reset
	n     int                           // waits
	ended bool
	stop  context.CancelFunc
	done  chan struct{}
}

// enter registers a wait, and begins the stream for the first one.
func (f *follower) enter(id string) (*stream, chan *hub.Ticket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		ctx, stop := context.WithCancel(context.Background())
		s := &stream{waits: map[string][]chan *hub.Ticket{}, stop: stop, done: make(chan struct{})}
		f.now = s
		go func() {
			defer close(s.done)
			f.Watch(ctx, &hub.Filter{Conversation: f.conversation}, func(c hub.Change) { f.change(ctx, s, c) })
			f.end(s)
		}()
	}
	ch := make(chan *hub.Ticket, 1)
	if f.now.n++; f.now.ended {
		ch <- nil
	} else {
		f.now.waits[id] = append(f.now.waits[id], ch)
	}
	return f.now, ch
}

// leave ends a wait, and the stream with the last one.
func (f *follower) leave(s *stream, id string, ch chan *hub.Ticket) {
	f.mu.Lock()
	left := s.waits[id][:0]
	for _, other := range s.waits[id] {
		if other != ch {
			left = append(left, other)
		}
	}
	if s.waits[id] = left; len(left) == 0 {
		delete(s.waits, id)
	}
	s.n--
	last := s.n == 0
	if last {
		f.now = nil
	}
	f.mu.Unlock()
	if last {
		s.stop()
		<-s.done
	}
}

// end says to all who wait that the stream tells nothing any more.
func (f *follower) end(s *stream) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.ended = true
	for id := range s.waits {
		s.tell(id, nil)
	}
}

// tell wakes those who wait for the ask. The lock is held.
func (s *stream) tell(id string, t *hub.Ticket) {
	for _, ch := range s.waits[id] {
		ch <- t
	}
	delete(s.waits, id)
}

func (f *follower) change(ctx context.Context, s *stream, c hub.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case c.Reset:
		s.open = map[string]bool{}
	case c.Ticket != nil && c.Ticket.Open():
		if s.open != nil {
			s.open[c.Ticket.Handle] = true
		}
	case c.Ticket != nil:
		s.tell(c.Ticket.Handle, c.Ticket)
	case c.Ready:
		var missing []string // closed, perhaps, while there was no stream
		for id := range s.waits {
			if !s.open[id] {
				missing = append(missing, id)
			}
		}
		s.open = nil
		f.mu.Unlock()
		closed := map[string]*hub.Ticket{}
		for _, id := range missing {
			if t, err := f.Get(ctx, id); err != nil || !t.Open() {
				closed[id] = t // nil: the client finds out
			}
		}
		f.mu.Lock()
		for id, t := range closed {
			s.tell(id, t)
		}
	}
}

// Wait returns the ticket once it is closed; see [client.Client.Wait].
func (f *follower) Wait(ctx context.Context, id string) (*hub.Ticket, error) {
	s, ch := f.enter(id)
	defer f.leave(s, id, ch)
	t, err := f.Get(ctx, id)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && !t.Open():
		return t, nil
	case err != nil, t.Ask.Origin.Conversation != f.conversation:
		return f.Asker.Wait(ctx, id)
	}
	select {
	case t := <-ch:
		if t == nil {
			return f.Asker.Wait(ctx, id)
		}
		return t, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
