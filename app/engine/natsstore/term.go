package natsstore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
)

// What was on its way when a leader stepped down or a connection broke is most often never answered. Who waits for it need
// not wait for as long as a request may take: the next leader tells that it was elected, and the client that it is
// connected again.

// term is the time from one such event to the next.
type term struct {
	mu      sync.Mutex
	current context.Context
	over    context.CancelFunc
}

// now returns a context that ends with the current term.
func (t *term) now() context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil {
		t.current, t.over = context.WithCancel(context.Background())
	}
	return t.current
}

// end begins another term.
func (t *term) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != nil {
		t.over()
		t.current = nil
	}
}

// briefly makes a request that waits for its answer no longer than Options.Timeout, and not into another term: then the
// error is that of a timeout.
func (s *Store) briefly(ctx context.Context, request func(context.Context) error) error {
	once, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	term := s.term.now()
	defer context.AfterFunc(term, cancel)()
	err := request(once)
	if errors.Is(err, context.Canceled) && term.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: there was an election or a new connection meanwhile", nats.ErrTimeout)
	}
	return err
}
