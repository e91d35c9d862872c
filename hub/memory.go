package hub

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// MemoryOptions are the options of [NewMemory].
type MemoryOptions struct {
	MaxRecords int              // how many records there may be; default: no limit
	Now        func() time.Time // default: time.Now
}

// Memory is a [Store] in the memory of one process. What it holds ends with it.
type Memory struct {
	max  int
	now  func() time.Time
	name string // of this store among all

	mu       sync.Mutex
	last     uint64 // the newest revision
	records  map[place]kept
	order    []entry // by revision; those that records no longer has are stale
	watchers map[*memoryWatch]struct{}
	queue    []Record // what the watchers are to be told
	missed   bool     // there was too much of it

	wake    chan struct{} // holds one token: the queue is not empty
	telling chan struct{} // held by whoever tells
}

var _ Store = (*Memory)(nil)

// place is where one record lies.
type place struct {
	kind Kind
	addr Address
}

type kept struct {
	Record
	until time.Time // forgotten from then on; zero: never
}

type entry struct {
	place
	revision uint64
}

// NewMemory returns an empty store; nil options mean the defaults.
func NewMemory(opts *MemoryOptions) *Memory {
	m := &Memory{now: time.Now, records: map[place]kept{}, watchers: map[*memoryWatch]struct{}{}, wake: make(chan struct{}, 1), telling: make(chan struct{}, 1)}
	if opts != nil {
		m.max = opts.MaxRecords
		if opts.Now != nil {
			m.now = opts.Now
		}
	}
	m.name = "m" + strconv.FormatInt(m.now().UnixNano(), 36)
	return m
}

// Put stores a record; see [Store].
func (m *Memory) Put(ctx context.Context, r Record, expect uint64) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.Data) > MaxData {
		return 0, fmt.Errorf("hub: a record of %d bytes is too large", len(r.Data))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := place{r.Kind, r.Address}
	old, found := m.get(p)
	if old.Revision != expect {
		return 0, ErrConflict
	}
	if m.max > 0 && !found && m.count() >= m.max {
		return 0, ErrFull
	}
	m.last++
	r.Revision = m.last
	k := kept{Record: r}
	if r.TTL > 0 {
		k.until = m.now().Add(r.TTL)
	}
	m.records[p] = k
	m.order = append(m.order, entry{p, r.Revision})
	if len(m.order) > 2*len(m.records)+64 {
		m.sweep()
	}
	m.ring(r)
	return r.Revision, nil
}

// Get returns a record; see [Store].
func (m *Memory) Get(ctx context.Context, kind Kind, addr Address) (Record, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k, found := m.get(place{kind, addr})
	if !found {
		return Record{}, ErrNotFound
	}
	return k.Record, nil
}

// List returns a page of records, in the order of their revisions; see [Store].
func (m *Memory) List(ctx context.Context, q Query) (Page, error) {
	if err := ctx.Err(); err != nil {
		return Page{}, err
	}
	var after uint64
	if q.Cursor != "" {
		var err error
		if after, err = strconv.ParseUint(q.Cursor, 10, 64); err != nil {
			return Page{}, fmt.Errorf("hub: %q is not a cursor of this store", q.Cursor)
		}
	}
	limit, bytes := min(cmp.Or(q.Limit, 100), 1000), cmp.Or(q.Bytes, PageBytes)
	m.mu.Lock()
	defer m.mu.Unlock()
	if q.After != nil {
		if !q.After.Fresh(m.name, m.now()) || q.After.Parts[0] > m.last {
			return Page{}, ErrPosition
		}
		after = max(after, q.After.Parts[0])
	}
	from, _ := slices.BinarySearchFunc(m.order, after+1, func(e entry, rev uint64) int { return cmp.Compare(e.revision, rev) })
	var page Page
	if q.Cursor == "" {
		page.Position = &Position{Store: m.name, At: m.now(), Parts: map[int]uint64{0: m.last}}
	}
	for _, e := range m.order[from:] {
		k, found := m.get(e.place)
		if !found || k.Revision != e.revision {
			continue
		}
		match := q.Match(k.Record)
		if page.Scanned >= bytes || match && len(page.Records) == limit {
			page.Next = strconv.FormatUint(after, 10)
			break
		}
		after = e.revision
		page.Looked, page.Scanned = page.Looked+1, page.Scanned+len(k.Data)
		if match {
			page.Records = append(page.Records, k.Record)
		}
	}
	return page, nil
}

func (m *Memory) get(p place) (kept, bool) {
	k, found := m.records[p]
	if !found || !k.until.IsZero() && !m.now().Before(k.until) {
		return kept{}, false
	}
	return k, true
}

// count counts what the quota counts. Only a store that seems full has to look.
func (m *Memory) count() int {
	if len(m.records) >= m.max {
		m.sweep()
	}
	return len(m.records)
}

// sweep drops what is forgotten or stale.
func (m *Memory) sweep() {
	for p := range m.records {
		if _, found := m.get(p); !found {
			delete(m.records, p)
		}
	}
	m.order = slices.DeleteFunc(m.order, func(e entry) bool { return m.records[e.place].Revision != e.revision })
}
