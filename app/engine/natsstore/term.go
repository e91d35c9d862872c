package natsstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

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

// soon is how long a request waits for its answer while nothing can be written: reads may still be answered.
const soon = time.Second

// briefly makes a request that waits for its answer no longer than Options.Timeout, and not into another term: then the
// error is that of a timeout. A write is not tried while there is a fault: the server would not answer it, and one that the
// disk refuses stops the stream.
func (s *Store) briefly(ctx context.Context, write bool, request func(context.Context) error) error {
	term := s.term.now() // before the fault is looked for, whose beginning ends the term
	timeout := s.opts.Timeout
	if fault := s.fault(); fault != nil {
		if write {
			return fault
		}
		timeout = min(timeout, soon)
	}
	once, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer context.AfterFunc(term, cancel)()
	err := request(once)
	if errors.Is(err, context.Canceled) && term.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: there was an election, a new connection or a fault meanwhile", nats.ErrTimeout)
	}
	return err
}

// fault returns why nothing can be written now.
func (s *Store) fault() error {
	_, err := s.opts.Health.Fault()
	return err
}

// follow ends the term whenever a fault begins or ends, until ctx does.
func (s *Store) follow(ctx context.Context) {
	for {
		changed, _ := s.opts.Health.Fault()
		select {
		case <-ctx.Done():
			return
		case <-changed:
			s.term.end()
		}
	}
}
