package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/saysohq/sayso/hub"
)

const (
	flushEvery = 5 * time.Second // a server that is killed forgets as much
	flushTime  = 5 * time.Second // that a store may take
	flushTries = 10              // where others note at the same time
)

// usages notes in the store what was written on behalf of each holder, so that a
// restart does not forget it and several servers add it up.
type usages struct {
	store hub.Store // nil: it is forgotten with the server
	now   func() time.Time
}

// usageRecord is how a ledger is stored.
type usageRecord struct {
	Days map[int64]int64 `json:"days"` // bytes, by day since 1970
}

func (h holder) compare(o holder) int {
	return cmp.Or(cmp.Compare(h.tenant, o.tenant), cmp.Compare(h.id, o.id), cmp.Compare(h.role, o.role))
}

func (h holder) address() hub.Address {
	return hub.Address{Tenant: h.tenant, ID: h.role.String() + " " + h.id}
}

// load reads the ledger of a holder, once.
func (u *usages) load(ctx context.Context, h holder, g *ledger) error {
	g.mu.Lock()
	known := g.known
	g.mu.Unlock()
	if known || u.store == nil {
		return nil
	}
	_, days, err := u.read(ctx, h)
	if err != nil {
		return err
	}
	g.begin(days)
	return nil
}

func (u *usages) read(ctx context.Context, h holder) (revision uint64, days map[int64]int64, err error) {
	r, err := u.store.Get(ctx, hub.KindUsage, h.address())
	if err != nil && !errors.Is(err, hub.ErrNotFound) {
		return 0, nil, fmt.Errorf("httpapi: reading the usage: %w", err)
	}
	var have usageRecord
	if err == nil {
		_ = json.Unmarshal(r.Data, &have) // one that cannot be read begins anew
	}
	return r.Revision, sum(have.Days, nil, dayOf(u.now())), nil
}

// noteUsages notes what is new until ctx ends, and once more then.
func (s *Server) noteUsages(ctx context.Context) {
	for sleep(ctx, flushEvery) {
		s.flushUsages(ctx)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
	defer cancel()
	s.flushUsages(last)
}

func (s *Server) flushUsages(ctx context.Context) {
	for _, h := range s.limits.holders() {
		s.limits.mu.Lock()
		g := &s.limits.all[h].ledger
		s.limits.mu.Unlock()
		fresh := g.unnoted()
		if len(fresh) == 0 {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, flushTime)
		days, err := s.usages.add(ctx, h, fresh)
		cancel()
		if err == nil { // else at the next turn
			g.noted(days, fresh)
		}
	}
}

// add adds to what the store has, and returns the sum.
func (u *usages) add(ctx context.Context, h holder, fresh map[int64]int64) (map[int64]int64, error) {
	for range flushTries {
		revision, have, err := u.read(ctx, h)
		if err != nil {
			return nil, err
		}
		days := sum(have, fresh, dayOf(u.now()))
		data, err := json.Marshal(usageRecord{days})
		if err != nil {
			return nil, err
		}
		_, err = u.store.Put(ctx, hub.Record{Kind: hub.KindUsage, Address: h.address(), Data: data, TTL: (ledgerDays + 1) * day}, revision)
		if err == nil {
			return days, nil
		}
		if !errors.Is(err, hub.ErrConflict) {
			return nil, fmt.Errorf("httpapi: noting the usage: %w", err)
		}
	}
	return nil, hub.ErrConflict
}
