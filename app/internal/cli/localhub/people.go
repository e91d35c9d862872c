package localhub

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/hub"
)

// peopleFor is how long it is not looked again who there is.
const peopleFor = 2 * time.Second

// knownPeople returns who there is in a tenant: everybody with an answerer key, a
// session, or a device that gets notifications.
func knownPeople(store hub.Store, now func() time.Time) func(context.Context, string) ([]string, error) {
	type known struct {
		people []string
		at     time.Time
	}
	var mu sync.Mutex
	tenants := map[string]known{}
	return func(ctx context.Context, tenant string) ([]string, error) {
		mu.Lock()
		k := tenants[tenant]
		mu.Unlock()
		if now().Sub(k.at) < peopleFor && !k.at.IsZero() {
			return k.people, nil
		}
		all, err := auth.People(ctx, store, tenant, now())
		if err != nil {
			return nil, err
		}
		told, err := notify.People(ctx, store, tenant)
		if err != nil {
			return nil, err
		}
		all = append(all, told...)
		slices.Sort(all)
		k = known{slices.Compact(all), now()}
		mu.Lock()
		tenants[tenant] = k
		mu.Unlock()
		return k.people, nil
	}
}
