// Package journal keeps conversations: for each one, and the sub-agents it has
// started, a log of what was saved, and who works on it.
//
// A host takes [OpenNATS], which keeps the logs in a stream beside the asks; tests
// and hosts that need not survive take [NewMemory].
//
// What every [Journal] guarantees:
//
//   - A record that Append returned for is kept, whatever dies next, until the log
//     is purged.
//   - Append is a compare-and-set: of two hosts that write after the same record
//     one is told [ErrConflict]. A host that was thought dead, and was replaced,
//     can therefore write nothing any more.
//   - Who works on a conversation is said by its last record. A host says that it
//     is there by calling Attend; the name of one that stopped doing so is free
//     after the time it gave.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/conversation"
)

// The errors of a Journal; it may wrap them.
var (
	ErrNotFound = errors.New("journal: no such conversation")
	ErrConflict = errors.New("journal: somebody else has written")
	ErrReplaced = errors.New("journal: another host has taken this name")
	ErrTooLarge = errors.New("journal: the record is too large")
)

// MaxRecord is how many bytes the JSON form of a record may have.
const MaxRecord = 960 << 10

// Journal is the seam between the runner and what it keeps conversations in. All
// methods may be called from several goroutines and return when ctx ends.
type Journal interface {
	// Read returns the whole log of a conversation, or [ErrNotFound].
	Read(ctx context.Context, id string) (*Log, error)

	// Append adds a record if the last one has the sequence after; zero means that
	// there is none. It returns the sequence of the new one, or [ErrTooLarge], and
	// then the log is as it was.
	Append(ctx context.Context, id string, r Record, after uint64) (uint64, error)

	// Purge removes the log of a conversation for good; that there is none is no
	// error. It removes whatever is written meanwhile, so whoever calls it works on
	// the conversation and has said so.
	Purge(ctx context.Context, id string) error

	// Heads calls fn for the last record of every conversation, in no order, until
	// fn returns false. What is written meanwhile may be missing.
	Heads(ctx context.Context, fn func(Head) bool) error

	// Attend says that the owner is there, for as long as ttl, whole seconds. The
	// first call of an owner takes its name from whoever had it; after that
	// [ErrReplaced] says that another one took it.
	Attend(ctx context.Context, o Owner, ttl time.Duration) error

	// Leave says that the owner is there no longer.
	Leave(ctx context.Context, o Owner) error

	// Attends reports whether the owner is there.
	Attends(ctx context.Context, o Owner) (bool, error)

	// Hosts returns all owners that are there.
	Hosts(ctx context.Context) ([]Owner, error)
}

// Owner is one life of a host.
type Owner struct {
	Name string `json:"name,omitempty"` // of the host, over its restarts
	Life string `json:"life,omitempty"` // never used twice
}

// IsZero reports whether it is nobody.
func (o Owner) IsZero() bool { return o == Owner{} }

// Record is an addition to the log of a conversation and its sub-agents.
type Record struct {
	// Conversation says whose state and entries these are: that of the log itself
	// or of a sub-agent. It is empty when only the owner changes.
	Conversation string               `json:"conversation,omitempty"`
	State        json.RawMessage      `json:"state,omitempty"` // as package conversation writes it
	Entries      []conversation.Entry `json:"entries,omitempty"`

	// Closed is the ask whose outcome led to this state, with the outcome.
	Closed *Closed `json:"closed,omitempty"`

	// Claim is the key of a tool call that is about to run and that must not run
	// twice.
	Claim string `json:"claim,omitempty"`

	Owner  Owner     `json:"owner,omitzero"` // who works on the conversation from here on; nobody: it is at rest
	Status string    `json:"status"`         // the name of the state of the conversation at the top, for lists
	At     time.Time `json:"at"`
}

// encode spells a record as it is kept.
func encode(r Record) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("journal: append: %w", err)
	}
	if len(body) > MaxRecord {
		return nil, fmt.Errorf("%w: it has %d bytes, and %d is the most", ErrTooLarge, len(body), MaxRecord)
	}
	return body, nil
}

// Closed is an ask that has an outcome.
type Closed struct {
	Ask     *sayso.Ask     `json:"ask"`
	Outcome *sayso.Outcome `json:"outcome"`
}

// Log is all of a conversation.
type Log struct {
	Records []Record
	Last    uint64 // the sequence of the last record
}

// Head is the end of a log.
type Head struct {
	ID   string
	Last uint64
	Record
}
