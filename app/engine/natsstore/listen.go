package natsstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// The subscription holds this much before the client drops events, which shows as a gap.
const (
	pendingEvents = 1 << 20
	pendingBytes  = 256 << 20
)

// advisories of the server about leaders: events may be lost with the old one.
const advisoryLeader = "$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.*"

// listen subscribes the store to what its streams republish, and starts looking for what is missed. Only the republished
// subjects are heard: on the streams' own, refused writes are heard as well.
func (s *Store) listen(ctx, life context.Context) error {
	s.bell = newBell()
	sub, err := s.nc.Subscribe(s.names.events(), s.event)
	if err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	s.events = sub
	leader, err := s.nc.Subscribe(advisoryLeader, func(m *nats.Msg) {
		if _, own := s.streams[m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]]; own {
			s.term.end()
			s.bell.missed()
		}
	})
	if err == nil {
		err = sub.SetPendingLimits(pendingEvents, pendingBytes)
	}
	if err == nil {
		err = s.flush(ctx)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("subscribe: %w", err), unsubscribe(sub, leader))
	}
	for i, sh := range s.shards {
		err := s.patient(ctx, func() error { // a new stream may have no leader yet
			last, err := s.look(ctx, sh)
			if err == nil {
				s.bell.start(i, last)
			}
			return err
		})
		if err != nil {
			return errors.Join(err, unsubscribe(sub, leader))
		}
	}
	status := s.nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	slow := sub.StatusChanged(nats.SubscriptionSlowConsumer)
	connected := s.nc.StatusChanged(nats.CONNECTED)
	s.running.Go(func() { // for itself, as attend may be waiting for an answer
		defer s.nc.RemoveStatusListener(connected)
		for {
			select {
			case <-life.Done():
				return
			case _, ok := <-connected:
				if !ok {
					return
				}
				s.term.end()
			}
		}
	})
	s.running.Go(func() { s.follow(life) })
	s.running.Go(func() {
		defer s.nc.RemoveStatusListener(status)
		defer unsubscribe(sub, leader)
		s.attend(life, status, slow)
	})
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

// event is called for everything that the streams republish, one at a time.
func (s *Store) event(m *nats.Msg) {
	seq, err := strconv.ParseUint(first(m.Header, headSequence), 10, 64)
	if err != nil {
		return
	}
	stream := first(m.Header, headStream)
	shard, own := s.streams[stream]
	if !own {
		return
	}
	if stream == s.shards[shard].ask {
		news, gap := s.bell.arrived(shard, seq)
		if gap {
			s.bell.missed()
		}
		if !news || first(m.Header, headState) == fenceToken {
			return
		}
	}
	r, ok, err := s.record(m.Subject, m.Header, m.Data, seq)
	if err != nil {
		s.bell.missed()
	} else if ok {
		s.bell.ring(shard, r)
	}
}

// attend looks after the subscription until the store is closed.
func (s *Store) attend(life context.Context, status <-chan nats.Status, slow <-chan nats.SubStatus) {
	tick := time.NewTicker(s.opts.Check)
	defer tick.Stop()
	awaited := make([]uint64, len(s.shards)) // what should have been heard by the next round
	for {
		select {
		case <-life.Done():
			s.bell.end(errClosed)
			return
		case st := <-status:
			if st == nats.CLOSED {
				s.bell.end(fmt.Errorf("natsstore: watch: %w", nats.ErrConnectionClosed))
				return
			}
			s.bell.missed()
		case _, ok := <-slow:
			if !ok {
				slow = nil
				continue
			}
			s.bell.missed()
		case <-tick.C:
			s.check(life, awaited)
		}
	}
}

// check finds out what no event will tell: that the last ones were lost. Events that were not heard from one round to the
// next are lost.
func (s *Store) check(ctx context.Context, awaited []uint64) {
	for i, sh := range s.shards {
		heard := s.bell.heard(i)
		last, err := s.look(ctx, sh)
		if err != nil {
			continue // the connection's status and the leader's advisory tell
		}
		if waiting, _, err := s.events.Pending(); err == nil && waiting > 0 {
			continue // those that came were not looked at yet
		}
		switch want := awaited[i]; {
		case last < heard: // the stream is not what it was: restored, or made anew
			s.bell.catchUp(i, last)
			s.bell.missed()
		case heard < want:
			s.bell.catchUp(i, want)
			s.bell.missed()
		}
		awaited[i] = last
	}
}
