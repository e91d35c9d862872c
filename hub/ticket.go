package hub

import (
	"time"

	"github.com/saysohq/sayso"
)

// Address is the whole place of an ask: whose it is, who is to answer, which
// conversation it belongs to. Stores file by it, so a ticket is found without a
// search. The parts are any valid UTF-8 of at most 256 bytes each; Tenant and ID
// are never empty.
type Address struct {
	Tenant       string `json:"tenant"`
	Person       string `json:"person"`          // the one inbox it waits in; empty: the tenant's shared one
	Asker        string `json:"asker,omitempty"` // who asks, as [AskerToken] has it; empty: nobody in particular
	Conversation string `json:"conversation"`
	ID           string `json:"id"` // of the ask among those of its asker
}

// Ticket is an ask in the waiting room, as it was at one revision. Tickets are
// shared: whoever gets one does not change it.
type Ticket struct {
	Address  Address        `json:"address"`
	Ask      *sayso.Ask     `json:"ask"`
	Digest   string         `json:"digest"`            // of the questions: an answer is bound to this text
	Outcome  *sayso.Outcome `json:"outcome,omitempty"` // nil while the ask is open
	Nonce    string         `json:"nonce,omitempty"`   // of the close that won: tells a repeat from a rival
	Consumed time.Time      `json:"consumed,omitzero"` // when the asker said that it has an outcome
	Touched  time.Time      `json:"touched,omitzero"`  // when somebody began to answer, so that the declared default no longer stands in
	Held     *Held          `json:"held,omitempty"`    // what a person has said and may still take back; the ask is open until then, and its asker does not see it
	Passed   []Passed       `json:"passed,omitempty"`  // to whom it was delegated, the last one last
	Again    *Again         `json:"again,omitempty"`   // which ask it repeats, if a person asked it again
	History  []Entry        `json:"history,omitempty"` // outcomes that were undone or amended, and answers that came too late
	Revision uint64         `json:"revision"`          // of the record in the store
	Replayed bool           `json:"replayed,omitzero"` // what was wanted had been done before

	// Handle names the ask to programs and people outside this process. It is set
	// by an [Asker] and by package client, which know asks by it; [Hub.Handle]
	// makes one.
	Handle string `json:"-"`

	ask   []byte // the ask as stored: closing a ticket does not encode the questions again
	size  int    // of the record
	fresh bool   // its id was just drawn
}

// Size returns how many bytes the ticket takes in the store, zero if it was not
// read from one.
func (t *Ticket) Size() int { return t.size }

// Open reports whether the ticket still waits for an outcome.
func (t *Ticket) Open() bool { return t.Outcome == nil }

// Status returns the status of the outcome, or pending.
func (t *Ticket) Status() sayso.Status {
	if t.Outcome == nil {
		return sayso.StatusPending
	}
	return t.Outcome.Status
}

// Entry is an outcome that does not count, or no longer.
type Entry struct {
	Outcome *sayso.Outcome `json:"outcome"`
	Why     Why            `json:"why"`
	At      time.Time      `json:"at"` // when it stopped counting, or came
	Nonce   string         `json:"nonce,omitempty"`
}

// Why says why an outcome in the history does not count.
type Why string

// The reasons.
const (
	Undone  Why = "undone"  // taken back before the asker had it
	Amended Why = "amended" // replaced after the asker had it
	Late    Why = "late"    // came after the deadline, after a withdrawal, or after another decision about what the agent's own dialog had allowed
)
