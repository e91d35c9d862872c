package web

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
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
	last  map[worker]*opened
}

// streamsOf is a person, or with a session one of theirs.
type streamsOf struct{ tenant, person, session string }

// worker is what keeps the connection in a browser, by the name that it gives itself.
type worker struct {
	streamsOf
	name string
}

// opened is a stream that a worker opened.
type opened struct {
	by    worker
	count int // how many the worker had opened
	end   context.CancelFunc
}

func newStreams(most Streams) *streams {
	return &streams{by: map[streamsOf]int{}, last: map[worker]*opened{}, most: Streams{
		cmp.Or(most.Session, 16), cmp.Or(most.Person, 64), cmp.Or(most.Total, 1000),
	}}
}

// openedBy says which stream of which worker the request opens.
func openedBy(who *auth.Principal, r *http.Request, end context.CancelFunc) *opened {
	q := r.URL.Query()
	count, _ := strconv.Atoi(q.Get("count"))
	return &opened{worker{streamsOf{who.Tenant, who.ID, who.Session}, q.Get("worker")}, count, end}
}

// replace ends the stream that the same worker opened before, until forget is called: a
// worker has one, and Firefox closes a connection that its worker gave up only when
// something comes through it. Requests may come in another order than they were sent in.
func (s *streams) replace(o *opened) (forget func()) {
	if o.by.name == "" {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.last[o.by]; before != nil {
		if before.count > o.count {
			o.end()
			return func() {}
		}
		before.end()
	}
	s.last[o.by] = o
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.last[o.by] == o {
			delete(s.last, o.by)
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
