package hubtest_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/saysohq/sayso/hub"
)

// lastWins does not compare before it sets.
type lastWins struct{ *hub.Memory }

func (s lastWins) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	for {
		old, _ := s.Memory.Get(ctx, r.Kind, r.Address)
		revision, err := s.Memory.Put(ctx, r, old.Revision)
		if !errors.Is(err, hub.ErrConflict) {
			return revision, err
		}
	}
}

// stale reads what was there a while ago.
type stale struct {
	*hub.Memory
	mu  sync.Mutex
	old map[hub.Address]before
}

type before struct {
	record hub.Record
	err    error
	until  time.Time
}

func (s *stale) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	old, oldErr := s.Memory.Get(ctx, r.Kind, r.Address)
	revision, err := s.Memory.Put(ctx, r, expect)
	if err == nil {
		s.mu.Lock()
		if s.old == nil {
			s.old = map[hub.Address]before{}
		}
		s.old[r.Address] = before{old, oldErr, time.Now().Add(5 * time.Millisecond)}
		s.mu.Unlock()
	}
	return revision, err
}

func (s *stale) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	s.mu.Lock()
	b, ok := s.old[addr]
	s.mu.Unlock()
	if ok && time.Now().Before(b.until) {
		return b.record, b.err
	}
	return s.Memory.Get(ctx, kind, addr)
}

// early rings the bell before the change can be read. It acknowledges only after.
type early struct{ stale }

func (s *early) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	revision, err := s.stale.Put(ctx, r, expect)
	<-time.After(6 * time.Millisecond)
	return revision, err
}

// hasty no longer has what is settled.
type hasty struct{ *hub.Memory }

func (s hasty) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	r, err := s.Memory.Get(ctx, kind, addr)
	if err == nil && r.Settled {
		return hub.Record{}, hub.ErrNotFound
	}
	return r, err
}

// unlisted leaves out of lists what is settled.
type unlisted struct{ *hub.Memory }

func (s unlisted) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	p, err := s.Memory.List(ctx, q)
	p.Records = slices.DeleteFunc(p.Records, func(r hub.Record) bool { return r.Settled })
	return p, err
}

// dueless forgets deadlines.
type dueless struct{ *hub.Memory }

func (s dueless) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	r.Due = time.Time{}
	return s.Memory.Put(ctx, r, expect)
}

// folding takes A for a.
type folding struct{ *hub.Memory }

func fold(a hub.Address) hub.Address {
	a.ID, a.Person = strings.ToLower(a.ID), strings.ToLower(a.Person)
	return a
}

func (s folding) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	r.Address = fold(r.Address)
	return s.Memory.Put(ctx, r, expect)
}

func (s folding) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	return s.Memory.Get(ctx, kind, fold(addr))
}

// skipping is off by one at the edge of a page.
type skipping struct {
	*hub.Memory
	by int
}

func (s skipping) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	page, err := s.Memory.List(ctx, q)
	if err != nil || q.Cursor == "" || len(page.Records) == 0 {
		return page, err
	}
	if s.by > 0 {
		page.Records = page.Records[1:]
	} else if len(page.Records) < 2 {
		page.Records = append(page.Records, page.Records[0])
	}
	return page, err
}

// unfiltered lists more than it is asked for.
type unfiltered struct{ *hub.Memory }

func (s unfiltered) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	q.Conversation, q.Closed = "", nil
	return s.Memory.List(ctx, q)
}

// immortal forgets nothing.
type immortal struct{ *hub.Memory }

func (s immortal) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	r.TTL = 0
	return s.Memory.Put(ctx, r, expect)
}

// stubborn refuses changes when it is full.
type stubborn struct{ *hub.Memory }

func (s stubborn) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	probe := r
	probe.Address.ID += " probe"
	if _, err := s.Memory.Put(ctx, probe, 0); err != nil {
		return 0, err
	}
	probe.TTL = 1
	if got, err := s.Memory.Get(ctx, probe.Kind, probe.Address); err == nil {
		s.Memory.Put(ctx, probe, got.Revision)
		<-time.After(time.Millisecond)
	}
	return s.Memory.Put(ctx, r, expect)
}

// mending hides damage: it gives back the first record that began well.
type mending struct {
	*hub.Memory
	mu    sync.Mutex
	first map[hub.Address][]byte
}

func (s *mending) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	r, err := s.Memory.Get(ctx, kind, addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil {
		s.first = map[hub.Address][]byte{}
	}
	if first := s.first[addr]; first != nil && err == nil && !bytes.Equal(first, r.Data) {
		r.Data = first
	} else if err == nil {
		s.first[addr] = r.Data
	}
	return r, err
}

// ahead gives positions that it has not reached.
type ahead struct{ *hub.Memory }

func (s ahead) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	page, err := s.Memory.List(ctx, q)
	if page.Position != nil {
		page.Position.Parts[0]++
	}
	return page, err
}

// behind lists what lies before a position, too.
type behind struct{ *hub.Memory }

func (s behind) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	if q.After != nil {
		before := *q.After
		before.Parts = map[int]uint64{0: q.After.Parts[0] - 1}
		q.After = &before
	}
	return s.Memory.List(ctx, q)
}

// curious hears of more than it was asked to.
type curious struct{ *hub.Memory }

func (s curious) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	return s.Memory.Watch(ctx, hub.Query{Kind: q.Kind, Tenant: q.Tenant}, ready, fn)
}
