package loadtest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"
)

// visits opens the stream of each person in turn and returns how long each took to
// be ready, with everything that waits told.
func visits(t *testing.T, addr string, keys keyring, persons []string) (took times) {
	t.Helper()
	for _, p := range persons {
		start := time.Now()
		f, err := follow(addr, keys.of(p), "/v1/events")
		must(t, err)
		told, err := f.ready()
		must(t, err)
		took = append(took, time.Since(start))
		f.close()
		if told < perPerson {
			t.Fatalf("the stream of %s told %d asks, and %d wait", p, told, perPerson)
		}
	}
	return took
}

// inboxes are open streams that note when they hear of what.
type inboxes struct {
	t       *testing.T
	persons []string
	open    []*follower
	reading sync.WaitGroup

	mu    sync.Mutex
	heard map[string]time.Time // by the id of the ask, the first time
	some  chan struct{}        // closed and replaced with each
}

// openInboxes opens the streams of persons and waits until they are ready.
func openInboxes(t *testing.T, addr string, keys keyring, persons []string) *inboxes {
	t.Helper()
	in := &inboxes{t: t, persons: persons, heard: map[string]time.Time{}, some: make(chan struct{})}
	t.Cleanup(in.close)
	for _, p := range persons {
		f, err := follow(addr, keys.of(p), "/v1/events")
		must(t, err)
		in.open = append(in.open, f)
		_, err = f.ready()
		must(t, err)
		in.reading.Go(func() { in.read(f) })
	}
	return in
}

func (in *inboxes) close() {
	for _, f := range in.open {
		f.conn.Close()
	}
	in.reading.Wait()
	in.open = nil
}

func (in *inboxes) read(f *follower) {
	for {
		e, err := f.next()
		if err != nil {
			return
		}
		var t ticket
		if e.name != "ask" || json.Unmarshal(e.data, &t) != nil {
			continue
		}
		in.mu.Lock()
		if in.heard[t.Ask.ID].IsZero() {
			in.heard[t.Ask.ID] = time.Now()
			close(in.some)
			in.some = make(chan struct{})
		}
		in.mu.Unlock()
	}
}

// when waits until an ask was heard of, and returns when that was.
func (in *inboxes) when(id string) time.Time {
	in.t.Helper()
	end := time.After(patience)
	for {
		in.mu.Lock()
		at, some := in.heard[id], in.some
		in.mu.Unlock()
		if !at.IsZero() {
			return at
		}
		select {
		case <-some:
		case <-end:
			in.t.Fatalf("nobody heard of %s after %v", id, patience)
		}
	}
}

// asked is an ask that was stored.
type asked struct {
	id           string
	sent, stored time.Time
}

// ask stores an ask for a person.
func ask(c *caller, id, person string) (asked, error) {
	body := fmt.Appendf(nil, `{"id":%q,"to":[%q],"origin":{"conversation":"new"},"questions":[{"id":"q","text":"Which database?","options":[{"label":"PostgreSQL"},{"label":"SQLite"}]}]}`, id, person)
	a := asked{id: id, sent: time.Now()}
	err := c.do("POST", "/v1/asks", body, nil)
	a.stored = time.Now()
	return a, err
}

// late asks n times, one person after the other, and returns how long after the
// request each was on the person's stream.
func (in *inboxes) late(c *caller, n int, gap time.Duration) (since times) {
	in.t.Helper()
	var all []asked
	name := fmt.Sprintf("late%x", time.Now().UnixNano())
	tick := time.NewTicker(gap)
	defer tick.Stop()
	for i := range n {
		a, err := ask(c, fmt.Sprint(name, "-", i), in.persons[i%len(in.persons)])
		must(in.t, err)
		all = append(all, a)
		<-tick.C
	}
	for _, a := range all {
		since = append(since, in.when(a.id).Sub(a.sent))
	}
	return since
}
