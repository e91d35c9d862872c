package localhub

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// otherClock is a store whose servers have a clock that is so far ahead of ours.
type otherClock struct {
	mu     sync.Mutex
	ahead  time.Duration
	newest time.Duration // of the newest record, from now on; 0: there is none
	near   bool
	fails  bool
	asked  int
}

func (*otherClock) Shards() int { return 3 }

func (o *otherClock) ReadClock(_ context.Context, shard int, now func() time.Time) (natsstore.ClockReading, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	if o.fails {
		return natsstore.ClockReading{}, errors.New("nobody answers")
	}
	r := natsstore.ClockReading{Server: "n2", Near: o.near, Ahead: o.ahead}
	if o.newest != 0 && shard == 2 { // only one shard has a record
		r.Newest = now().Add(o.newest)
	}
	return r, nil
}

func (o *otherClock) set(ahead time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ahead = ahead
}

// TestClock has a hub notice within two seconds that its clock is wrong, and when it is
// right again.
func TestClock(t *testing.T) {
	for _, tt := range []struct {
		name  string
		store *otherClock
		says  string // empty: nothing is wrong
	}{
		{"agrees", &otherClock{ahead: time.Second, newest: -time.Hour}, ""},
		{"nobody answers", &otherClock{ahead: time.Hour, fails: true}, ""},
		{"its own clock", &otherClock{ahead: time.Hour, near: true}, ""},
		{"behind", &otherClock{ahead: time.Hour}, "is 1h0m0s behind that of node n2"},
		{"ahead", &otherClock{ahead: -time.Hour}, "is 1h0m0s ahead of that of node n2"},
		{"went back", &otherClock{newest: time.Hour}, "says 2000-01-01 00:00:00, but the newest question was stored at 2000-01-01 01:00:00 (1h0m0s later)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := startClock(t, tt.store, time.Now)
				<-time.After(2 * time.Second)
				got := w.now()
				switch {
				case tt.says == "" && len(got) > 0:
					t.Errorf("it warns: %v", got)
				case tt.says != "" && (len(got) != 1 || !strings.Contains(got[0].Text, tt.says) || got[0].Fix == ""):
					t.Errorf("it warns: %v, want %s", got, tt.says)
				}
			})
		})
	}
}

func TestClockIsRightAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &otherClock{ahead: time.Hour}
		w := startClock(t, store, time.Now)
		synctest.Wait()
		if len(w.now()) != 1 {
			t.Fatalf("it warns: %v", w.now())
		}
		store.set(0)
		<-time.After(2*clockAsk + time.Second) // two of three shards were looked at again
		if len(w.now()) != 1 {
			t.Error("the warning is gone before every shard was looked at")
		}
		<-time.After(clockAsk)
		if len(w.now()) != 0 {
			t.Errorf("it still warns: %v", w.now())
		}
	})
}

// A clock that is set while the hub runs is noticed at once, though nobody was to be
// asked yet.
func TestClockJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &otherClock{}
		var by time.Duration
		var mu sync.Mutex
		startClock(t, store, func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().Add(by)
		})
		synctest.Wait()
		before := store.asked
		mu.Lock()
		by = time.Hour
		mu.Unlock()
		<-time.After(1500 * time.Millisecond)
		synctest.Wait()
		if store.asked != before+store.Shards() {
			t.Errorf("%d shards were looked at after the clock was set, want %d", store.asked-before, store.Shards())
		}
	})
}

func startClock(t *testing.T, store clockReader, now func() time.Time) *warned {
	w := &warned{log: slog.New(slog.DiscardHandler)}
	c := &clockWatch{store: store, own: true, now: now, warn: w, log: w.log}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return w
}
