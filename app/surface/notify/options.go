package notify

import (
	"errors"
	"log/slog"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Options are the options of [Start].
type Options struct {
	Node  string // names this process among all that ever served the store; must be set
	Alone bool   // no other process serves the store

	Channels map[Kind]Channel

	// URL returns the address of an ask, or of the inbox for an empty handle; empty if
	// there is none that other devices can reach. Default: there is none.
	URL func(handle string) string

	Wait time.Duration // after how long the first device of a person is told; default: 20 s, negative: at once

	Now func() time.Time // default: time.Now
	Log *slog.Logger     // default: none is kept
}

// Limited is a channel that says what it can show. One that does not shows title and
// body only.
type Limited interface{ Limits() Limits }

var (
	// ErrNoContact says that the person has no such contact.
	ErrNoContact = errors.New("notify: no such device or account")

	// ErrNoChannel says that this hub has no such channel.
	ErrNoChannel = errors.New("notify: this channel is not set up")
)

// Told is what a person was told at one contact.
type Told struct {
	Contact  string        `json:"contact"`
	Asks     []hub.Address `json:"asks,omitempty"`
	Round    int           `json:"round"`
	First    time.Time     `json:"first,omitzero"` // when it was first told
	Sent     time.Time     `json:"sent,omitzero"`  // when it was last told
	Where    string        `json:"where,omitempty"`
	Over     bool          `json:"over,omitempty"` // it was withdrawn
	Attempts int           `json:"attempts,omitempty"`
	Retry    time.Time     `json:"retry,omitzero"`
	Error    string        `json:"error,omitempty"`
	Test     bool          `json:"test,omitempty"`
}

// TestResult is what became of a test.
type TestResult struct {
	Contact   Contact   `json:"contact"`
	Sent      time.Time `json:"sent"`
	CanReply  bool      `json:"canReply"` // the device can confirm by itself; wait for Contact.Confirmed
	Error     string    `json:"error,omitempty"`
	Confirmed bool      `json:"confirmed,omitempty"`
}
