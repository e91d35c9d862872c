package natsstore

import (
	"errors"
	"fmt"
	"time"
)

// Options say how a store is laid out and how it behaves. The zero value of each field means its default.
type Options struct {
	Shards   int    // default: what the streams have, else 1; cannot be changed later
	Replicas int    // of every stream; default: what the streams have, else 1
	Prefix   string // of streams and subjects, for several stores in one account; letters and digits; default: none

	MaxAsks  int64 // how many tickets a shard may hold, closed ones until they are forgotten; default: 2,000,000
	MaxBytes int64 // how many bytes a shard may hold; default: no limit but the server's

	DraftAge time.Duration // how long a draft is kept at most; default: 7 days
	AuditAge time.Duration // how long the audit stream keeps what was not exported; default: 30 days
	NoAudit  bool          // there is no audit stream; default: there is

	Mark   Mark   // told of every acknowledged write; default: nobody
	Health Health // says why nothing can be written, so that nobody waits in vain; only for a store on one server; default: nobody

	Timeout  time.Duration // of one request to the server; default: 5 s
	RetryFor time.Duration // how long an undecided write is tried again; default: 15 s, longer than an election takes
	Check    time.Duration // how often missed changes and quotas are looked for; default: 2 s
}

// Mark remembers, outside of the stream, how far the stream was acknowledged. *natsserver.Server is one.
type Mark interface {
	Note(stream string, seq uint64) error
}

// Health says whether the server can write. *natsserver.Server does.
type Health interface {
	// Fault returns why nothing can be written now, or nil, and a channel that is closed when that changes.
	Fault() (changed <-chan struct{}, err error)
}

type alwaysWell struct{}

func (alwaysWell) Fault() (<-chan struct{}, error) { return nil, nil }

type noMark struct{}

func (noMark) Note(string, uint64) error { return nil }

const (
	maxShards   = 1000
	maxReplicas = 5
)

func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Shards < 0 || c.Shards > maxShards {
		return c, fmt.Errorf("options: %d shards; 1 to %d are possible", c.Shards, maxShards)
	}
	if c.Replicas < 0 || c.Replicas > maxReplicas {
		return c, fmt.Errorf("options: %d replicas; 1 to %d are possible", c.Replicas, maxReplicas)
	}
	if c.Prefix != "" && (!plain(c.Prefix) || len(c.Prefix) > 32) {
		return c, errors.New("options: the prefix may have 32 letters and digits")
	}
	if c.MaxAsks < 0 || c.MaxBytes < 0 {
		return c, errors.New("options: a quota is negative")
	}
	set(&c.MaxAsks, 2_000_000)
	set(&c.DraftAge, 7*24*time.Hour)
	set(&c.AuditAge, 30*24*time.Hour)
	set(&c.Timeout, 5*time.Second)
	set(&c.RetryFor, 15*time.Second)
	set(&c.Check, 2*time.Second)
	if c.Mark == nil {
		c.Mark = noMark{}
	}
	if c.Health == nil {
		c.Health = alwaysWell{}
	}
	return c, nil
}

func set[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
