package hub

import (
	"cmp"
	"context"
	"time"
)

// Store keeps records. It is the seam between the rules of the waiting room and
// what they are kept in; package hubtest is its contract as tests.
//
// All methods may be called from several goroutines and return when ctx ends.
// Data is handed over: neither side changes its bytes afterwards. A method that
// returns an error other than those named here may or may not have had its
// effect; the rules cope with that by reading again.
type Store interface {
	// Put stores r if the revision of what is stored under its kind and address
	// is expect; zero means that nothing is. It returns the new revision once
	// the record is durable and Get sees it.
	//
	// [ErrConflict] says that something else is stored, or nothing any more, and
	// comes only when Get sees that. [ErrFull] says that a quota keeps new records out; a record that
	// exists can still be changed. [ErrUndecided] says that nobody knows whether
	// the write was made, or that a rival's is under way, and that a read, or the
	// same write again, will tell.
	//
	// The revisions of an address only grow, even after its record was forgotten.
	Put(ctx context.Context, r Record, expect uint64) (revision uint64, err error)

	// Get returns the record at the address, or [ErrNotFound]. It sees every Put
	// that returned, in any process, before Get was called. [ErrUndecided] says
	// that it cannot tell at the moment, between two leaders say.
	Get(ctx context.Context, kind Kind, addr Address) (Record, error)

	// List returns a page of records that match the query, in an order of the
	// store's own. It may lag behind Put, but never behind what a Watch that is
	// ready has left out: a change is in the list, or is told to the watch, or
	// both. A record that is there, unchanged, from the first page to the last
	// comes exactly once; one that is changed meanwhile may come again, and comes
	// at least once if it still matches. What a page costs depends on what the
	// query selects and not on what else is stored.
	//
	// The first page has a Position. A list behind that position has every record
	// that changed since, as it is now. [ErrPosition] says that the store can no
	// longer tell: then list without it. A position that is younger than
	// [Resumable] it can tell, unless records were lost in between. The position of
	// such a list is not before the query's Least.
	List(ctx context.Context, q Query) (Page, error)

	// Watch calls ready once it listens, and then fn, one call at a time, for
	// every change that matches the query, until ctx ends or it can no longer
	// listen, which is an error. The query's Due, After, Limit and Cursor do not
	// apply. It costs nothing for changes that do not match.
	//
	// Get sees a change before fn does. All watches of a Store are told of the
	// changes in one part of it in the order of their revisions: when one is told
	// of a change, no other will be told of an earlier one.
	//
	// Watch may miss changes; when it might have, it finds out by itself and calls fn
	// with a zero Record, at once and before any change that came after those it
	// missed: the caller lists behind the position it has reached. A store that may
	// lose a change on its way without any sign marks what it tells as Unsure; it
	// still finds out by itself if nothing else comes. It may leave Data empty where
	// the record is too large to ring a bell with. fn does not block and does not call
	// the store.
	//
	// A store with timers may also call fn for an unchanged record that has just
	// become due.
	Watch(ctx context.Context, q Query, ready func(), fn func(Record)) error
}

// Kind says what a record holds.
type Kind string

// The kinds of records.
const (
	KindTicket  Kind = "ticket"
	KindContent Kind = "content" // a page of what an approval shows, too large to be a part of it
	KindRule    Kind = "rule"    // what decides about approvals instead of a person; there are few, and they are part of a backup
	KindDraft   Kind = "draft"   // what a person has typed and not sent; may be lost, needs no audit
	KindSession Kind = "session" // where a person is signed in; ends when it is forgotten, needs no audit
	KindUsage   Kind = "usage"   // how much a credential has stored; needs no audit
	KindLink    Kind = "link"    // what signs a person in once; may be lost, needs no audit
	KindGateway Kind = "gateway" // a process that serves the store; ends when it is forgotten, needs no audit
	KindKey     Kind = "key"     // a key that lets somebody in; there are few, and they are part of a backup
	KindNotify  Kind = "notify"  // how people are told of asks: devices, accounts, preferences; there are few, and they are part of a backup
	KindTold    Kind = "told"    // what a person was told where; needs no audit
	KindWake    Kind = "wake"    // a run that resumed a session of an agent; there are few, and they are part of a backup
	KindPerson  Kind = "person"  // what a person has chosen, put off or been given; small, and part of a backup
	KindSecret  Kind = "secret"  // what the hub itself signs with; there are few, and they are part of a backup
)

// MaxData is the most bytes that a record holds. It is half of what a NATS server
// takes by default.
const MaxData = 512 << 10

// PageBytes is how much of a store is looked at for one page, so that nobody holds
// a thousand large records in memory.
const PageBytes = 4 << 20

// Record is what a store keeps: bytes that only the rules understand, and what a
// store needs to know to file them.
type Record struct {
	Kind     Kind
	Address  Address       // in a draft, Person is who wrote it; in a session, who is signed in
	Closed   bool          // a closed ticket
	Settled  bool          // a closed ticket whose asker has the outcome: it is rarely read again
	Due      time.Time     // when an open ticket expires; zero: never
	TTL      time.Duration // from Put on, the store may forget the record after this; zero: never
	Fresh    bool          // in Put: nothing was ever stored at the address, as its id was just drawn
	Data     []byte
	Revision uint64 // set by the store
	Part     int    // set by the store: of all records in one part, a later change has the higher revision
	Unsure   bool   // set by Watch: a change before this one may have been lost without any sign
}

// Query selects records. Empty fields select all.
type Query struct {
	Kind         Kind // default: KindTicket
	Tenant       string
	Person       *string // pointing to "": the shared inbox
	Asker        *string // the Asker of an [Address]; pointing to "": asks without one
	Conversation string
	Closed       *bool
	Settled      *bool
	After        *Position      // only records that changed behind it
	Least        map[int]uint64 // with After, by part: the list has what is stored up to there, as the reader heard of it elsewhere
	Due          time.Time      // only records that are due by then
	Limit        int            // of a page; default 100, at most 1000
	Bytes        int            // of the records that are looked at for a page: it ends once they have as many; default: [PageBytes]
	Cursor       string         // Page.Next of the page before, of the same query

	// Loose lets a record come again, also as it was before, where a store can list
	// cheaper that way. It is for who keeps the highest revision of each.
	Loose bool
}

// Match reports whether the record is one that the query selects.
func (q Query) Match(r Record) bool {
	return r.Kind == cmp.Or(q.Kind, KindTicket) &&
		(q.Tenant == "" || r.Address.Tenant == q.Tenant) &&
		(q.Person == nil || r.Address.Person == *q.Person) &&
		(q.Asker == nil || r.Address.Asker == *q.Asker) &&
		(q.Conversation == "" || r.Address.Conversation == q.Conversation) &&
		(q.Closed == nil || r.Closed == *q.Closed) &&
		(q.Settled == nil || r.Settled == *q.Settled) &&
		(q.After == nil || r.Revision > q.After.Parts[r.Part]) &&
		(q.Due.IsZero() || !r.Due.IsZero() && !r.Due.After(q.Due))
}

// Page is a part of a list.
type Page struct {
	Records []Record
	Next    string // empty at the end; a page may be short, even empty, and still have a next one
	Looked  int    // how many records were looked at, also those that did not match
	Scanned int    // the bytes of those

	// Position is on the first page of a list: whatever was stored up to it is in
	// the list.
	Position *Position
}
