package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/hub"
)

// faultyStore fails when it is told to.
type faultyStore struct {
	hub.Store
	err atomic.Pointer[error]
}

func (s *faultyStore) fault() error {
	if err := s.err.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *faultyStore) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	if err := s.fault(); err != nil {
		return 0, err
	}
	return s.Store.Put(ctx, r, expect)
}

func (s *faultyStore) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	if err := s.fault(); err != nil {
		return hub.Record{}, err
	}
	return s.Store.Get(ctx, kind, addr)
}

func (s *faultyStore) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	if err := s.fault(); err != nil {
		return hub.Page{}, err
	}
	return s.Store.List(ctx, q)
}

// A store that cannot tell yet is 503 on every route that needs it, with a time
// to try again; one that is broken is 500, and says why in the log only.
func TestStoreFaults(t *testing.T) {
	store := &faultyStore{Store: hub.NewMemory(nil)}
	w := newWorldOver(t, store, &hub.Options{Patience: time.Millisecond}, &Options{Quota: Quota{Open: -1, Rate: -1}, Rules: rules.New(store, nil)})
	const secretive = "disk sda1 is on fire"
	matrix := cells()
	for _, rt := range routes() {
		if slices.Contains([]string{"getTool", "listTools", "getMe", "getMetrics", "listPeople", "noteActivity"}, rt.id) || rt.rule.public || matrix[rt.id].stream {
			continue // needs no store, or has sent its head before it does
		}
		who := map[bool]string{true: "ada", false: "bot"}[strings.Contains(matrix[rt.id].roles, "answerer")]
		if matrix[rt.id].roles == "admin" {
			who = "root"
		}
		for _, c := range []struct {
			err    error
			want   int
			reason string
		}{
			{hub.ErrUndecided, 503, ""}, {hub.ErrFull, 503, ""}, {errors.New(secretive), 500, ""},
			{&hub.StorageError{Fault: hub.FaultDiskFull, Dir: "/mnt/sda1", Err: errors.New(secretive)}, 503, `"reason":"disk-full"`},
		} {
			path, body := matrix[rt.id].prepare(t, w)
			store.err.Store(&c.err)
			rec := w.do(who, rt.method, path, body)
			store.err.Store(nil)
			if rec.Code != c.want || c.want == 503 && rec.Header().Get("Retry-After") == "" {
				t.Errorf("%s %s: %d for %v: %s", rt.method, rt.path, rec.Code, c.err, rec.Body)
			}
			if !strings.Contains(rec.Body.String(), c.reason) || c.want == 503 && !strings.Contains(rec.Body.String(), `"detail":`) {
				t.Errorf("%s %s does not say why: %s", rt.method, rt.path, rec.Body)
			}
			if strings.Contains(rec.Body.String(), "sda1") {
				t.Errorf("%s %s tells the client %s", rt.method, rt.path, rec.Body)
			}
		}
	}
	if !strings.Contains(w.log.text(), secretive) {
		t.Error("the log does not say what broke")
	}
}

func TestReady(t *testing.T) {
	var down atomic.Bool
	now := time.Now()
	var fault atomic.Pointer[hub.StorageError]
	w := newWorld(t, &Options{Now: func() time.Time { return now }, Ready: func(context.Context) error {
		if err := fault.Load(); err != nil {
			return err
		}
		if down.Load() {
			return errors.New("no leader")
		}
		return nil
	}})
	if rec := w.do("nobody", "GET", "/readyz", ""); rec.Code != http.StatusOK {
		t.Errorf("%d", rec.Code)
	}
	down.Store(true)
	if rec := w.do("nobody", "GET", "/readyz", ""); rec.Code != http.StatusOK {
		t.Errorf("asked again at the same time: %d", rec.Code)
	}
	now = now.Add(time.Second)
	if rec := w.do("nobody", "GET", "/readyz", ""); rec.Code != http.StatusServiceUnavailable || strings.Contains(rec.Body.String(), "leader") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	now = now.Add(time.Second)
	fault.Store(&hub.StorageError{Fault: hub.FaultNotWritable, Dir: "/mnt/sda1"})
	rec := w.do("nobody", "GET", "/readyz", "")
	if body := rec.Body.String(); rec.Code != http.StatusServiceUnavailable || !strings.Contains(body, `"reason":"not-writable"`) || strings.Contains(body, "sda1") {
		t.Errorf("%d %s", rec.Code, body)
	}
	if rec := w.do("nobody", "GET", "/healthz", ""); rec.Code != http.StatusOK || rec.Body.String() != "ok\n" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}
