package gateway

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/hub"
)

// counted counts the writes to a store, and refuses them while it is cut off.
type counted struct {
	hub.Store
	puts atomic.Int64
	cut  atomic.Bool
}

func (c *counted) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	if c.cut.Load() {
		return 0, hub.ErrUndecided
	}
	c.puts.Add(1)
	return c.Store.Put(ctx, r, expect)
}

// member is a process in a test.
type member struct {
	*Group
	store *counted
	says  atomic.Pointer[string]

	mu    sync.Mutex
	heard map[string]string
	ended int
}

func join(t *testing.T, store hub.Store, id string) *member {
	m := &member{store: &counted{Store: store}, heard: map[string]string{}}
	m.say("hello from " + id)
	m.Group = Join(m.store, &Options{ID: id, Tell: func() []byte { return []byte(*m.says.Load()) }, Hear: func(id string, data []byte) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if data == nil {
			delete(m.heard, id)
			m.ended++
			return
		}
		m.heard[id] = string(data)
	}})
	t.Cleanup(func() {
		if m.Group != nil {
			m.Close()
		}
	})
	return m
}

func (m *member) say(text string) { m.says.Store(&text) }

func (m *member) hears(t *testing.T, want map[string]string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if fmt.Sprint(m.heard) != fmt.Sprint(want) || m.Others() != len(want) {
		t.Errorf("%s hears %v of %d others, want %v", m.opts.ID, m.heard, m.Others(), want)
	}
}

// TestGroup: processes hear of each other at once, however long one was alone, of
// what changes within a second, and of an end, announced or not.
func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		a := join(t, store, "a")
		time.Sleep(5 * time.Minute)
		a.Changed()
		time.Sleep(2 * time.Second)
		a.hears(t, map[string]string{})
		if !a.Ended("b") || a.Ended("a") {
			t.Error("a does not know that it is alone")
		}

		b := join(t, store, "b")
		if b.Ended("a") || b.Ends() != 0 {
			t.Error("b knows all others before it heard of them")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		a.hears(t, map[string]string{"b": "hello from b"})
		b.hears(t, map[string]string{"a": "hello from a"})
		c := join(t, store, "c")
		time.Sleep(time.Second)
		synctest.Wait()
		c.hears(t, map[string]string{"a": "hello from a", "b": "hello from b"})

		a.say("news")
		a.Changed()
		time.Sleep(time.Second)
		synctest.Wait()
		b.hears(t, map[string]string{"a": "news", "c": "hello from c"})
		time.Sleep(time.Minute)
		synctest.Wait()
		b.hears(t, map[string]string{"a": "news", "c": "hello from c"})
		if b.Ended("a") || b.Ends() != 1 {
			t.Errorf("nobody has ended, and b counts %d", b.Ends())
		}

		// One says goodbye, one just ends.
		c.Close()
		c.Group = nil
		synctest.Wait()
		b.hears(t, map[string]string{"a": "news"})
		a.store.cut.Store(true)
		time.Sleep(6 * time.Second)
		b.hears(t, map[string]string{"a": "news"})
		time.Sleep(8 * time.Second)
		synctest.Wait()
		b.hears(t, map[string]string{})
		if !b.Ended("a") || !b.Ended("c") || b.Ends() != 3 {
			t.Errorf("a and c have ended, and b counts %d", b.Ends())
		}
		// It was only cut off.
		a.store.cut.Store(false)
		time.Sleep(4 * time.Second)
		synctest.Wait()
		b.hears(t, map[string]string{"a": "news"})
	})
}

// TestWrites: a process that is alone writes little, and one that is not at most once
// a second, whatever changes.
func TestWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		a := join(t, store, "a")
		change := func(d time.Duration) int64 {
			before := a.store.puts.Load()
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
				a.Changed()
			}
			return a.store.puts.Load() - before
		}
		time.Sleep(time.Minute)
		if n := change(10 * time.Minute); n > 11 {
			t.Errorf("%d writes in 10 minutes alone, want about 10", n)
		}
		join(t, store, "b")
		if n := change(time.Minute); n < 50 || n > 62 {
			t.Errorf("%d writes in a minute with another, want about 60", n)
		}
		before := a.store.puts.Load()
		time.Sleep(time.Minute)
		if n := a.store.puts.Load() - before; n > 21 {
			t.Errorf("%d writes in a minute without changes, want about 20", n)
		}
	})
}

// TestManyGroups: twenty processes that begin at once know each other.
func TestManyGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		var all []*member
		for i := range 20 {
			all = append(all, join(t, store, fmt.Sprint("g", i)))
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		for _, m := range all {
			if n := m.Others(); n != 19 {
				t.Errorf("%s knows %d others", m.opts.ID, n)
			}
		}
	})
}
