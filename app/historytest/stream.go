package historytest

import (
	"testing"
	"time"
)

// Stream is what an event stream that is cut and goes on has told. Nothing may be told twice, and after the first whole
// snapshot it may not begin anew. What was over before that snapshot no stream tells, so wait for it and ask then: of
// those asks, everything has to be told.
type Stream struct {
	Whole chan struct{} // closed at the first whole snapshot; nil: nobody waits for it

	Told   map[string]Event // the last, by the id of the ask
	Events int
	Resets int // after the first snapshot
	Again  int // events that were no news

	ready bool // it has had a whole snapshot
}

// Event is an ask as it was told.
type Event struct {
	Revision uint64
	State    string
}

// Mark notes that the stream begins anew, or that its snapshot is whole.
func (s *Stream) Mark(reset, ready bool) {
	switch {
	case reset && s.ready:
		s.Resets++
	case ready:
		if !s.ready && s.Whole != nil {
			close(s.Whole)
		}
		s.ready = true
	}
}

// Await waits for the first whole snapshot.
func (s *Stream) Await(t testing.TB, limit time.Duration) {
	t.Helper()
	select {
	case <-s.Whole:
	case <-time.After(limit):
		t.Fatalf("the stream has no snapshot after %v", limit)
	}
}

// Tell notes an event, and reports whether it is news.
func (s *Stream) Tell(t testing.TB, id string, now Event) bool {
	s.Events++
	if now.Revision <= s.Told[id].Revision {
		if !s.ready {
			return false // the first snapshot was cut, and began anew
		}
		if s.Again++; s.Again <= 3 {
			t.Errorf("%s is told at revision %d after %d", id, now.Revision, s.Told[id].Revision)
		}
		return false
	}
	if s.Told == nil {
		s.Told = map[string]Event{}
	}
	s.Told[id] = now
	return true
}
