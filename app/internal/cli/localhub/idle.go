package localhub

import (
	"context"
	"github.com/saysohq/sayso/hub"
	"net/http"
	"sync"
	"time"
)

// use counts the requests that are under way, and remembers since when there are
// none. A connection that is only kept open is not use.
type use struct {
	mu    sync.Mutex
	now   func() time.Time
	count int
	since time.Time // of the last end of a request
}

func newUse(now func() time.Time) *use { return &use{now: now, since: now()} }

func (u *use) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.add(1)
		defer u.add(-1)
		next.ServeHTTP(w, r)
	})
}

func (u *use) add(n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count += n
	u.since = u.now()
}

// underWay returns how many requests there are.
func (u *use) underWay() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count
}

// idle returns for how long there has been no request.
func (u *use) idle() time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count > 0 {
		return 0
	}
	return u.now().Sub(u.since)
}

// wait returns when there was no request for as long as limit and nothing is
// left that somebody waits for, or when ctx ends.
func (u *use) wait(ctx context.Context, limit time.Duration, waiting func(context.Context) (bool, error)) error {
	tick := time.NewTicker(max(limit/10, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if u.idle() < limit {
			continue
		}
		if some, err := waiting(ctx); err == nil && !some && u.idle() >= limit {
			return nil
		}
	}
}

// waits reports whether an ask of the person is open.
func waits(ctx context.Context, h *hub.Hub) (some bool, err error) {
	for f := (hub.Filter{Limit: 1}); ; {
		page, err := h.List(ctx, Tenant, &f)
		if err != nil || len(page.Tickets) > 0 {
			return err == nil, err
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return false, nil
		}
	}
}
