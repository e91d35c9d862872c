package natsstore

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Options say how a store is laid out and how it behaves. The zero value of each field means its default.
type Options struct {
	Shards    int    // default: what the streams have, else NewShards; cannot be changed later
	NewShards int    // how many shards a store gets that is made now, if Shards is zero; default: 1
	Replicas  int    // of every stream; default: what the streams have, else 1
	Prefix    string // of streams and subjects, for several stores in one account; letters and digits; default: none

	MaxAsks  int64 // how many tickets the store may hold, closed ones until they are forgotten; default: no limit
	MaxBytes int64 // how many bytes the tickets may take; default: no limit but the disk's

	DraftAge time.Duration // how long a draft is kept at most; default: 7 days
	AuditAge time.Duration // how long the archive keeps closed tickets, for the audit and for those who read them; default: 30 days
	NoAudit  bool          // there is no archive: closed tickets stay where they are until they are forgotten; default: there is
	Settled  time.Duration // after this the archive has a settled ticket, and 5 minutes later only the archive; default: hub.Resumable

	Migrating func(Migration) // told, while Open moves records of an earlier layout, how far it is; default: nobody

	Mark   Mark   // told of every acknowledged write; default: nobody
	Health Health // says why nothing can be written, so that nobody waits in vain; only for a store on one server; default: nobody

	Timeout  time.Duration // of one request to the server; default: 5 s
	RetryFor time.Duration // how long an undecided write is tried again; default: 15 s, longer than an election takes
	Check    time.Duration // how often quotas are looked for; default: 2 s
	Doubt    time.Duration // how long a watch waits at most until it is compared with what is stored, and half of it at least; default: 1 minute
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
	if c.Shards < 0 || c.Shards > maxShards || c.NewShards < 0 || c.NewShards > maxShards {
		return c, fmt.Errorf("options: %d shards; 1 to %d are possible", cmp.Or(c.Shards, c.NewShards), maxShards)
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
	set(&c.DraftAge, 7*24*time.Hour)
	set(&c.AuditAge, 30*24*time.Hour)
	set(&c.Settled, hub.Resumable)
	set(&c.Timeout, 5*time.Second)
	set(&c.RetryFor, 15*time.Second)
	set(&c.Check, 2*time.Second)
	set(&c.Doubt, time.Minute)
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
