package notify

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Where the records are. Those of a person are in the person's tenant, the others in
// one that is nobody's; the conversation says what a record holds.
const (
	common     = "hub"
	isContact  = "contact"
	isPrefs    = "prefs"
	isCode     = "code"
	isPlace    = "place"
	isLead     = "lead"
	tombstone  = time.Minute // how long a record that was removed is remembered as such
	keepTold   = 7 * 24 * time.Hour
	maxWhere   = 256
	maxRetries = 20 // of a write that others get in the way of
)

var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// hashed returns 26 small letters and digits that stand for the words.
func hashed(words ...string) string {
	sum := sha256.New()
	for _, w := range words {
		fmt.Fprintf(sum, "%d:%s", len(w), w)
	}
	return strings.ToLower(letters.EncodeToString(sum.Sum(nil)[:16]))
}

// record reads a record into what it holds; the revision is zero if there is none, or
// if it was removed.
func (n *Notifier) record(ctx context.Context, kind hub.Kind, addr hub.Address, into any) (revision uint64, found bool, err error) {
	r, err := n.store.Get(ctx, kind, addr)
	if errors.Is(err, hub.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	if r.Closed {
		return r.Revision, false, nil
	}
	return r.Revision, true, json.Unmarshal(r.Data, into)
}

// change reads a record, has it changed, and writes it, again if another was faster.
// If change returns false, nothing is written.
func change[T any](ctx context.Context, n *Notifier, kind hub.Kind, addr hub.Address, ttl time.Duration, change func(v *T, found bool) bool) (*T, uint64, error) {
	for range maxRetries {
		v := new(T)
		revision, found, err := n.record(ctx, kind, addr, v)
		if err != nil {
			return nil, 0, err
		}
		if !change(v, found) {
			return v, revision, nil
		}
		data, err := json.Marshal(v)
		if err != nil {
			return nil, 0, err
		}
		revision, err = n.store.Put(ctx, hub.Record{Kind: kind, Address: addr, TTL: ttl, Data: data}, revision)
		if err == nil {
			return v, revision, nil
		}
		if !errors.Is(err, hub.ErrConflict) && !errors.Is(err, hub.ErrUndecided) {
			return nil, 0, err
		}
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
	}
	return nil, 0, fmt.Errorf("notify: too many changes at once: %w", hub.ErrConflict)
}

// remove writes that a record is no more.
func (n *Notifier) remove(ctx context.Context, kind hub.Kind, addr hub.Address) (found bool, err error) {
	for range maxRetries {
		r, err := n.store.Get(ctx, kind, addr)
		if errors.Is(err, hub.ErrNotFound) || err == nil && r.Closed {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		_, err = n.store.Put(ctx, hub.Record{Kind: kind, Address: addr, Closed: true, TTL: tombstone}, r.Revision)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, hub.ErrConflict) && !errors.Is(err, hub.ErrUndecided) {
			return false, err
		}
	}
	return false, hub.ErrConflict
}

// each calls fn for every record that the query selects and that was not removed.
func (n *Notifier) each(ctx context.Context, q hub.Query, fn func(hub.Record)) error {
	q.Limit = 1000
	for {
		page, err := n.store.List(ctx, q)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			if !r.Closed {
				fn(r)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}

func contactAddress(tenant, person, id string) hub.Address {
	return hub.Address{Tenant: tenant, Person: person, Conversation: isContact, ID: id}
}

func prefsAddress(tenant, person string) hub.Address {
	return hub.Address{Tenant: tenant, Person: person, Conversation: isPrefs, ID: isPrefs}
}
