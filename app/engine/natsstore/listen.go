package natsstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// listen starts what delivers notifications and finds out what was missed, until life ends. Only the republished subjects
// are heard: on the streams' own, refused writes are heard as well.
func (s *Store) listen(ctx, life context.Context) error {
	s.doubts, s.line = newDoubts(), newLine()
	s.line.reconnects = s.nc.Stats().Reconnects
	var err error
	if s.line.leader, err = s.nc.ChanSubscribe(advisoryLeader, s.line.ch); err == nil {
		err = s.flush(ctx)
	}
	if err == nil {
		err = s.patient(ctx, func() error { return s.identify(ctx) }) // a new stream may have no leader yet
	}
	if err == nil && s.limited() {
		err = s.look(ctx)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("subscribe: %w", err), unsubscribe(s.line.leader))
	}
	status := s.nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	s.running.Go(func() {
		defer s.nc.RemoveStatusListener(status)
		defer unsubscribe(s.line.leader)
		s.attend(life, status)
	})
	s.running.Go(func() { s.deliver(life) })
	s.running.Go(func() { s.follow(life) })
	s.running.Go(func() { s.check(life) })
	if s.limited() {
		s.running.Go(func() { s.count(life) })
	}
	return nil
}

// flush waits until the server has what was sent before.
func (s *Store) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	return s.nc.FlushWithContext(ctx)
}

func unsubscribe(subs ...*nats.Subscription) error {
	var errs []error
	for _, sub := range subs {
		if sub == nil {
			continue
		}
		if err := sub.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) && !errors.Is(err, nats.ErrBadSubscription) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// attend looks after the connection until the store is closed.
func (s *Store) attend(life context.Context, status <-chan nats.Status) {
	for {
		select {
		case <-life.Done():
			return
		case st, ok := <-status:
			if !ok || st == nats.CLOSED {
				s.end(fmt.Errorf("natsstore: watch: %w", nats.ErrConnectionClosed))
				return
			}
			s.term.end()
			s.line.look()
		}
	}
}

// count looks how much is stored, for the quotas, until ctx ends.
func (s *Store) count(ctx context.Context) {
	tick := time.NewTicker(s.opts.Check)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = s.look(ctx) // the next time, if there is no leader now
		}
	}
}
