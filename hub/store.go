package hub

import (
	"context"
	"errors"
	"time"
)

// Store keeps records. It is the seam between the rules of the waiting room and
// what they are kept in; package hubtest is its contract as tests.
//
// All methods may be called from several goroutines. A method that returns an
// error other than those named here may or may not have had its effect; the
// rules cope with that by reading again.
type Store interface {
	// Put stores r if the revision of what is stored under its address is
	// expect; zero means that nothing is. It returns the new revision once the
	// record is durable, and [ErrConflict] once the conflicting record can be
	// read by Get. [ErrFull] means that a quota refuses new records.
	Put(ctx context.Context, r Record, expect uint64) (revision uint64, err error)

	// Get returns the record at the address, or [ErrNotFound]. It sees every Put
	// that returned before Get was called.
	Get(ctx context.Context, kind Kind, addr Address) (Record, error)

	// List returns a page of records that match the query, in the order of their
	// revisions. It may lag behind Put.
	List(ctx context.Context, q Query) (Page, error)

	// Watch calls fn, one call at a time, for every change that matches the
	// query and is made after ready is called, until ctx ends or the store is
	// closed. It may miss changes; when it might have, it calls fn with a zero
	// Record, and the caller reads again. fn must not block.
	Watch(ctx context.Context, q Query, ready func(), fn func(Record)) error
}

// Kind says what a record holds.
type Kind string

// The kinds of records.
const (
	KindTicket Kind = "ticket"
	KindDraft  Kind = "draft" // what a person has typed and not sent; may be lost
)

// Record is what a store keeps: bytes that only the rules understand, and what a
// store needs to know to file them.
type Record struct {
	Kind     Kind
	Address  Address
	Closed   bool          // a closed ticket; lists pass over it unless asked
	Data     []byte        // at most 1 MiB
	TTL      time.Duration // the store may forget the record after this; zero: never
	Revision uint64        // set by the store
}

// Query selects records. Empty fields select all.
type Query struct {
	Kind         Kind   // default: KindTicket
	Tenant       string // required by List
	Person       *string
	Conversation string
	Closed       *bool
	Limit        int    // default 100, at most 1000
	Cursor       string // Page.Next of the page before
}

// Page is a part of a list.
type Page struct {
	Records []Record
	Next    string // empty at the end
}

// The errors of a Store.
var (
	ErrNotFound = errors.New("hub: no such ask")
	ErrConflict = errors.New("hub: the record has changed")
	ErrFull     = errors.New("hub: the waiting room is full")
)
