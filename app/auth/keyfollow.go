package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso/hub"
)

// record is a key as it is checked. A change of the key is another record.
type record struct {
	line     keyLine
	key      Key
	sum      [32]byte
	revision uint64
	noting   atomic.Bool     // its use is about to be written
	life     context.Context // ends when the key is revoked or expires
	end      context.CancelFunc
}

// keyTenant is where the keys are. A key does not say of which tenant it is, so they
// are all at one place.
const keyTenant = "hub"

func keyAddress(id string) hub.Address { return hub.Address{Tenant: keyTenant, ID: id} }

// stored is the record of the key in a store.
func (l keyLine) stored() hub.Record {
	data, _ := json.Marshal(l) // text and times: cannot fail
	return hub.Record{Kind: hub.KindKey, Address: keyAddress(l.ID), Closed: !l.Revoked.IsZero(), Data: data}
}

func parseKey(r hub.Record) (*record, error) {
	var line keyLine
	err := json.Unmarshal(r.Data, &line)
	if err == nil && line.ID != r.Address.ID {
		err = fmt.Errorf("it is that of %q", line.ID)
	}
	var rec *record
	if err == nil {
		rec, err = line.parse()
	}
	if err != nil {
		return nil, fmt.Errorf("auth: reading key %q: %w", r.Address.ID, err)
	}
	rec.revision = r.Revision
	return rec, nil
}

// apply takes over what the store has of a key, and ends it if it no longer holds. A
// key that cannot be read changes nothing.
func (k *Keys) apply(r hub.Record) {
	rec, err := parseKey(r)
	if err != nil {
		return
	}
	now := k.opts.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	was := k.keys[rec.key.ID]
	if was != nil && was.revision >= rec.revision {
		return
	}
	if was != nil && was.sum == rec.sum {
		rec.life, rec.end = was.life, was.end
	} else {
		if was != nil {
			was.end()
		}
		rec.life, rec.end = context.WithCancel(context.Background())
	}
	if !rec.key.Revoked.IsZero() || !now.Before(rec.key.Expires) {
		rec.end()
	} else if k.expires.IsZero() || rec.key.Expires.Before(k.expires) {
		k.expires = rec.key.Expires
	}
	k.keys[rec.key.ID] = rec
}

// holds reports whether the key may be used at that time.
func (rec *record) holds(now time.Time) bool {
	return rec.life != nil && rec.life.Err() == nil && now.Before(rec.key.Expires)
}

// rejected says why the key does not hold: the one that was shown is the same, or
// only has its id.
func (rec *record) rejected(same bool) error {
	e := &RejectedError{Why: "secret", Tenant: rec.key.Tenant, Key: rec.key.ID, Role: rec.key.Role}
	switch {
	case e.Key == "":
		return ErrCredential
	case same && !rec.key.Revoked.IsZero():
		e.Why = "revoked"
	case same:
		e.Why = "expired"
	}
	return e
}

// watch follows the store. Whenever it may have missed something, changes are read.
func (k *Keys) watch(ctx context.Context) {
	for ctx.Err() == nil {
		k.store.Watch(ctx, hub.Query{Kind: hub.KindKey}, k.missed, func(r hub.Record) {
			if r.Kind == "" || len(r.Data) == 0 {
				k.missed()
				return
			}
			k.apply(r)
		})
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (k *Keys) missed() {
	select {
	case k.recheck <- struct{}{}:
	default:
	}
}

// follow reads changes that nobody told of, and ends keys in time. While the store
// cannot be read, the keys hold as they are.
func (k *Keys) follow(ctx context.Context) {
	expire := time.NewTicker(250 * time.Millisecond)
	defer expire.Stop()
	reread := time.NewTicker(k.opts.Reread)
	defer reread.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-expire.C:
			k.expire()
		case <-k.recheck:
			k.reread(ctx)
		case <-reread.C:
			k.reread(ctx)
		}
	}
}

// expire ends the keys whose time is over.
func (k *Keys) expire() {
	now := k.opts.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.expires.IsZero() || now.Before(k.expires) {
		return
	}
	k.expires = time.Time{}
	for _, rec := range k.keys {
		if !now.Before(rec.key.Expires) {
			rec.end()
		} else if rec.life.Err() == nil && (k.expires.IsZero() || rec.key.Expires.Before(k.expires)) {
			k.expires = rec.key.Expires
		}
	}
}

// reread reads what changed since it was last read.
func (k *Keys) reread(ctx context.Context) error {
	k.mu.RLock()
	q := hub.Query{Kind: hub.KindKey, Limit: 1000, After: k.position}
	k.mu.RUnlock()
	var position *hub.Position
	for {
		page, err := k.store.List(ctx, q)
		if errors.Is(err, hub.ErrPosition) && q.After != nil {
			q.After, q.Cursor = nil, ""
			continue
		}
		if err != nil {
			return fmt.Errorf("auth: reading the keys: %w", err)
		}
		if page.Position != nil {
			position = page.Position
		}
		for _, r := range page.Records {
			k.apply(r)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.position = position
	return nil
}

const (
	maxUses = 1024            // that wait to be written; more are written at their next use
	useTime = 5 * time.Second // that the store may take for one
)

// used has the use of a key written down, if the last one was a while ago. It costs
// the request nothing.
func (k *Keys) used(rec *record, now time.Time) {
	if now.Sub(rec.key.Used) < k.opts.Used || !rec.noting.CompareAndSwap(false, true) {
		return
	}
	select {
	case k.uses <- rec:
	default:
		rec.noting.Store(false)
	}
}

// noteUses writes down when keys were used. Another process may do so for the same
// key, or revoke it: then it has the last word.
func (k *Keys) noteUses(ctx context.Context) {
	for {
		var rec *record
		select {
		case <-ctx.Done():
			return
		case rec = <-k.uses:
		}
		line := rec.line
		line.Used = k.opts.Now().UTC().Truncate(time.Second)
		r := line.stored()
		limited, cancel := context.WithTimeout(ctx, useTime)
		revision, err := k.store.Put(limited, r, rec.revision)
		cancel()
		switch {
		case err == nil:
			r.Revision = revision
			k.apply(r)
		case !errors.Is(err, hub.ErrConflict):
			rec.noting.Store(false)
			select { // the store has other worries
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}
