package natsstore

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ClockReading is what the server that leads a shard says about the time.
type ClockReading struct {
	Server string        // its name; empty: the server is in no cluster
	Near   bool          // we are connected to it
	Ahead  time.Duration // how far its clock is ahead of ours, at least; negative: behind; 0: they agree as far as can be told
	Newest time.Time     // when the newest ticket of the shard was stored, by the clock of the server that led then; zero: there is none
}

// ReadClock compares the clock of the server that leads a shard with ours. What the request takes is not counted as a
// difference.
func (s *Store) ReadClock(ctx context.Context, shard int, now func() time.Time) (ClockReading, error) {
	js, err := jetstream.New(s.nc, jetstream.WithDefaultTimeout(s.opts.Timeout))
	if err != nil {
		return ClockReading{}, err
	}
	name := s.shards[shard%len(s.shards)].ask
	sent := now()
	stream, err := js.Stream(ctx, name)
	if err != nil {
		return ClockReading{}, fmt.Errorf("natsstore: read the clock of stream %s: %w", name, err)
	}
	received := now()
	info := stream.CachedInfo()
	r := ClockReading{Newest: info.State.LastTime, Ahead: apart(info.TimeStamp, sent, received)}
	if info.State.LastSeq == 0 {
		r.Newest = time.Time{}
	}
	if info.Cluster != nil {
		r.Server = info.Cluster.Leader
		r.Near = r.Server == s.nc.ConnectedServerName()
	}
	return r, nil
}

// apart returns how far a time is outside of the time in which it was read.
func apart(at, sent, received time.Time) time.Duration {
	switch sent, received = sent.Round(0), received.Round(0); {
	case at.IsZero(): // a server that does not say
		return 0
	case at.After(received):
		return at.Sub(received)
	case at.Before(sent):
		return at.Sub(sent)
	}
	return 0
}
