package auth

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/saysohq/sayso/hub"
)

// People returns the people of a tenant who can answer: those with an answerer key that
// holds, and those who are signed in, in order.
func People(ctx context.Context, store hub.Store, tenant string, now time.Time) ([]string, error) {
	all := map[string]bool{}
	for _, q := range []hub.Query{{Kind: hub.KindKey}, {Kind: hub.KindSession, Tenant: tenant}} {
		for q.Limit = 1000; ; {
			page, err := store.List(ctx, q)
			if err != nil {
				return nil, fmt.Errorf("auth: reading who there is: %w", err)
			}
			for _, r := range page.Records {
				if name := personOf(r, tenant, now); name != "" {
					all[name] = true
				}
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// personOf returns whose record it is, if that is a person who can answer now.
func personOf(r hub.Record, tenant string, now time.Time) string {
	if r.Closed {
		return ""
	}
	if r.Kind == hub.KindSession {
		return r.Address.Person
	}
	rec, err := parseKey(r)
	if err != nil {
		return ""
	}
	if rec.key.Tenant != tenant || !rec.key.Role.Is(Answerer) || !now.Before(rec.key.Expires) {
		return ""
	}
	return rec.key.Subject
}
