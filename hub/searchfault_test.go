package hub_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// faulty is a store that can be broken and mended. What is not set works.
type faulty struct {
	*hub.Memory
	bare bool // bells come without data, as those of large records

	mu    sync.Mutex
	list  func(context.Context, hub.Query) error
	get   func(context.Context) error
	watch error
}

// breaks changes what works.
func (f *faulty) breaks(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *faulty) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	f.mu.Lock()
	list := f.list
	f.mu.Unlock()
	if list != nil && q.Kind == "" {
		if err := list(ctx, q); err != nil {
			return hub.Page{}, err
		}
	}
	return f.Memory.List(ctx, q)
}

func (f *faulty) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	f.mu.Lock()
	get := f.get
	f.mu.Unlock()
	if get != nil {
		if err := get(ctx); err != nil {
			return hub.Record{}, err
		}
	}
	return f.Memory.Get(ctx, kind, addr)
}

func (f *faulty) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	f.mu.Lock()
	err := f.watch
	f.mu.Unlock()
	if err != nil && q.Kind == "" {
		return err
	}
	return f.Memory.Watch(ctx, q, ready, func(r hub.Record) {
		if f.bare {
			r.Data = nil
		}
		fn(r)
	})
}

var errFire = errors.New("the disk is on fire")

// closedOnly lets an error be met by who lists what is closed.
func closedOnly(err error) func(context.Context, hub.Query) error {
	return func(_ context.Context, q hub.Query) error {
		if q.Closed != nil && *q.Closed {
			return err
		}
		return nil
	}
}

// TestSearchFaults breaks the store while an index is made: whoever searches is told
// why and in time, one as well as many, and the first search behind it succeeds.
func TestSearchFaults(t *testing.T) {
	undecided := fmt.Errorf("%w: %w", hub.ErrUndecided, errFire)
	all := func(err error) func(context.Context, hub.Query) error {
		return func(context.Context, hub.Query) error { return err }
	}
	for _, tc := range []struct {
		name  string
		fault func(*faulty)
		view  hub.View
		want  error
		says  string
		soon  time.Duration
	}{
		{"closed", func(f *faulty) { f.list = closedOnly(errFire) }, hub.ViewAll, errFire, "what is closed", 0},
		{"closed, undecided", func(f *faulty) { f.list = closedOnly(undecided) }, hub.ViewClosed, hub.ErrUndecided, "what is closed", 20 * time.Second},
		{"closed, disk full", func(f *faulty) {
			f.list = closedOnly(fmt.Errorf("%w: %w", hub.ErrUndecided, &hub.StorageError{Fault: hub.FaultDiskFull, Err: errFire}))
		}, hub.ViewAll, errFire, "what is closed", 0},
		{"open", func(f *faulty) { f.list = all(errFire) }, hub.ViewOpen, errFire, "what is open", 0},
		{"open, undecided", func(f *faulty) { f.list = all(undecided) }, hub.ViewOpen, hub.ErrUndecided, "what is open", 20 * time.Second},
		{"open, but for short pages", func(f *faulty) {
			f.list = func(_ context.Context, q hub.Query) error {
				if q.Limit > 1 {
					return errFire
				}
				return nil
			}
		}, hub.ViewAll, errFire, "what is open", 0},
		{"listening", func(f *faulty) { f.watch = errFire }, hub.ViewOpen, errFire, "listening", 20 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &faulty{Memory: hub.NewMemory(nil)}
				h := searchHub(t, store, nil)
				submitText(t, h, "open pear", nil)
				answer(t, h, submitText(t, h, "closed pear", nil), "ada", "")
				store.breaks(func() { tc.fault(store) })
				searches := func(n int) {
					t.Helper()
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					began := time.Now()
					var work sync.WaitGroup
					for range n {
						work.Go(func() {
							_, err := h.Search(ctx, "acme", "", &hub.Search{View: tc.view, Text: "zebra"})
							if took := time.Since(began); !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) || took > tc.soon {
								t.Errorf("after %v: %v", took, err)
							}
						})
					}
					work.Wait()
				}
				searches(1)
				searches(10)
				time.Sleep(10 * time.Minute) // whatever tries again has become slow about it
				searches(1)
				store.breaks(func() { store.list, store.watch = nil, nil })
				began := time.Now()
				got := texts(search(t, h, "", hub.Search{View: hub.ViewAll, Text: "pear", Order: hub.OrderOldest}))
				if slices.Sort(got); !slices.Equal(got, []string{"closed pear", "open pear"}) || time.Since(began) > 5*time.Second {
					t.Errorf("the store is back, and after %v these are found: %q", time.Since(began), got)
				}
			})
		})
	}
}

// TestSearchBlip: a store that cannot tell for a moment is waited for.
func TestSearchBlip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &faulty{Memory: hub.NewMemory(nil)}
		h := searchHub(t, store, nil)
		submitText(t, h, "open pear", nil)
		answer(t, h, submitText(t, h, "closed pear", nil), "ada", "")
		back := time.Now().Add(5 * time.Second)
		store.breaks(func() {
			store.list = func(context.Context, hub.Query) error {
				if time.Now().Before(back) {
					return hub.ErrUndecided
				}
				return nil
			}
		})
		if got := search(t, h, "", hub.Search{View: hub.ViewAll, Text: "pear"}); got.Total != 2 {
			t.Errorf("found %q", texts(got))
		}
	})
}

// TestSearchDropped drops an index while somebody waits for it: they get another one.
func TestSearchDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &faulty{Memory: hub.NewMemory(nil)}
		h := searchHub(t, store, nil)
		answer(t, h, submitText(t, h, "closed pear", nil), "ada", "")
		hung := 0
		store.breaks(func() {
			store.list = func(ctx context.Context, q hub.Query) error {
				if q.Closed == nil || !*q.Closed || hung > 0 {
					return nil
				}
				hung++
				<-ctx.Done()
				return ctx.Err()
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour)
		defer cancel()
		got, err := h.Search(ctx, "acme", "", &hub.Search{View: hub.ViewAll, Text: "pear"})
		if err != nil || got.Total != 1 || hung != 1 {
			t.Fatalf("after %d: %+v, %v", hung, got, err)
		}
	})
}

// TestSearchUnread has the store fail where a search takes in what others have stored:
// the next search does.
func TestSearchUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &faulty{Memory: hub.NewMemory(nil), bare: true}
		h, other := searchHub(t, store, nil), searchHub(t, store, nil)
		if got := search(t, h, "", hub.Search{View: hub.ViewAll}); got.Total != 0 {
			t.Fatalf("found %q", texts(got))
		}
		for i, ctxErr := range []bool{false, true} {
			submitText(t, other, fmt.Sprint("pear ", i), func(a *sayso.Ask) { a.ID = fmt.Sprint("pear", i) })
			synctest.Wait()
			ctx, cancel := context.WithCancel(t.Context())
			store.breaks(func() {
				store.get = func(ctx context.Context) error {
					if ctxErr {
						cancel()
						return ctx.Err()
					}
					return errFire
				}
			})
			if _, err := h.Search(ctx, "acme", "", &hub.Search{Text: "pear"}); err == nil {
				t.Error("an ask that cannot be read is left out, and nobody is told")
			}
			cancel()
			store.breaks(func() { store.get = nil })
			if got := search(t, h, "", hub.Search{Text: "pear"}); got.Total != i+1 {
				t.Errorf("found %q, want %d", texts(got), i+1)
			}
		}
	})
}

// TestSearchStale has the store lose sight of changes, and then fail: an index that
// cannot be brought up to date is not taken for one that is, but for a moment.
func TestSearchStale(t *testing.T) {
	for _, cause := range []error{errFire, hub.ErrUndecided} {
		synctest.Test(t, func(t *testing.T) {
			store := &faulty{Memory: hub.NewMemory(nil)}
			h, other := searchHub(t, store, nil), searchHub(t, store, nil)
			search(t, h, "", hub.Search{View: hub.ViewAll})
			store.breaks(func() { store.list = func(context.Context, hub.Query) error { return cause } })
			h.Miss("acme")
			submitText(t, other, "pear", nil)
			search(t, h, "", hub.Search{Text: "zebra"}) // which finds out that something is missing, and that it is to be read soon
			time.Sleep(10 * time.Second)
			_, err := h.Search(t.Context(), "acme", "", &hub.Search{Text: "zebra"})
			if undecided := errors.Is(cause, hub.ErrUndecided); (err == nil) != undecided {
				t.Errorf("at first, with %q: %v", cause, err)
			}
			time.Sleep(time.Minute)
			if _, err := h.Search(t.Context(), "acme", "", &hub.Search{Text: "zebra"}); !errors.Is(err, cause) {
				t.Errorf("after a minute, with %q: %v", cause, err)
			}
			store.breaks(func() { store.list = nil })
			if got := search(t, h, "", hub.Search{Text: "pear"}); got.Total != 1 {
				t.Errorf("found %q", texts(got))
			}
		})
	}
}
