package web

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/auth"
)

// Streams are how many pages may be live at once. A page beyond that works, and is
// as old as its loading.
type Streams struct {
	Session int // of one session; default: 16
	Person  int // of one person; default: 64
	Total   int // default: 1000
}

// streams counts the pages that are live.
type streams struct {
	most Streams

	mu    sync.Mutex
	total int
	by    map[streamsOf]int
	last  map[worker]*context.CancelFunc // ends the stream that a worker opened last
}

// streamsOf is a person, or with a session one of theirs.
type streamsOf struct{ tenant, person, session string }

// worker is what keeps the connection in a browser, by the name that it gives itself.
type worker struct {
	streamsOf
	name string
}

func newStreams(most Streams) *streams {
	return &streams{by: map[streamsOf]int{}, last: map[worker]*context.CancelFunc{}, most: Streams{
		cmp.Or(most.Session, 16), cmp.Or(most.Person, 64), cmp.Or(most.Total, 1000),
	}}
}

// replace ends the stream that the same worker opened before, until forget is called: a
// worker has one, and Firefox closes a connection that its worker gave up only when
// something comes through it.
func (s *streams) replace(who *auth.Principal, name string, end context.CancelFunc) (forget func()) {
	if name == "" {
		return func() {}
	}
	key := worker{streamsOf{who.Tenant, who.ID, who.Session}, name}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.last[key]; before != nil {
		(*before)()
	}
	s.last[key] = &end
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.last[key] == &end {
			delete(s.last, key)
		}
	}
}

// roomTime is how long a stream waits for room: a person who goes from page to page
// may be faster than the news that the pages before are closed.
const roomTime = 2 * time.Second

// wait enters as soon as there is room, within roomTime.
func (s *streams) wait(ctx context.Context, who *auth.Principal) (leave func(), status int) {
	ctx, cancel := context.WithTimeout(ctx, roomTime)
	defer cancel()
	for {
		if leave, status = s.enter(who); status == 0 {
			return leave, 0
		}
		select {
		case <-ctx.Done():
			return nil, status
		case <-time.After(roomTime / 20):
		}
	}
}

// enter counts a stream until leave is called. Otherwise it returns the status for
// one too many.
func (s *streams) enter(who *auth.Principal) (leave func(), status int) {
	person := streamsOf{tenant: who.Tenant, person: who.ID}
	session := person
	session.session = who.Session
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.by[session] >= s.most.Session, s.by[person] >= s.most.Person:
		return nil, http.StatusTooManyRequests
	case s.total >= s.most.Total:
		return nil, http.StatusServiceUnavailable
	}
	add := func(n int) {
		s.total += n
		for _, of := range []streamsOf{person, session} {
			if s.by[of] += n; s.by[of] == 0 {
				delete(s.by, of)
			}
		}
	}
	add(1)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		add(-1)
	}, 0
}
