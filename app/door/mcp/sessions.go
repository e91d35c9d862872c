package mcp

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
)

const (
	sessionIdle  = time.Hour       // when a session of an older client ends that nobody uses
	sessionSpare = 5 * time.Minute // when it ends to make room for another
)

// sessions counts the sessions of older clients, which take about 80 KB each. The
// SDK ends those that are idle; this notices when it looks for room.
type sessions struct {
	each, most int // of one credential, of all
	server     *sdk.Server
	now        func() time.Time

	mu   sync.Mutex
	all  map[string]*session // by id
	soon map[string]int      // that begin at the moment, by who
}

type session struct {
	who   string
	ended context.CancelFunc
	busy  int       // requests at the moment
	used  time.Time // when the last one ended
}

func (s *sessions) init(o *HTTPOptions, server *sdk.Server, now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.each, s.most = cmp.Or(o.Sessions, 64), cmp.Or(o.AllSessions, 1000)
	s.server, s.now = server, now
	s.all, s.soon = map[string]*session{}, map[string]int{}
}

// begin makes room for a session of who, who has some elsewhere, or says which quota
// keeps it out.
func (s *sessions) begin(who string, elsewhere int) *api.Quota {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range []struct {
		name, who       string
		elsewhere, most int
	}{{api.QuotaSessions, who, elsewhere, s.each}, {api.QuotaAllSessions, "", 0, s.most}} {
		if s.count(q.who)+q.elsewhere < q.most {
			continue
		}
		if s.sweep(); s.count(q.who)+q.elsewhere < q.most {
			continue
		}
		if wait := s.spare(q.who); wait > 0 {
			return &api.Quota{
				Name: q.name, Limit: float64(q.most), Used: float64(s.count(q.who) + q.elsewhere), Unit: api.UnitCount, Retry: int(wait/time.Second) + 1,
			}
		}
	}
	s.soon[who]++
	return nil
}

// count counts the sessions of who, or of everybody. The lock is held.
func (s *sessions) count(who string) (n int) {
	for _, one := range s.all {
		if who == "" || one.who == who {
			n++
		}
	}
	for name, soon := range s.soon {
		if who == "" || name == who {
			n += soon
		}
	}
	return n
}

// Sessions counts the sessions of older clients, by tenant, subject and role with a
// zero byte in between.
func (d *Door) Sessions() map[string]int {
	s := &d.sessions
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return nil // nobody is served over HTTP yet
	}
	s.sweep()
	n := map[string]int{}
	for _, one := range s.all {
		n[one.who]++
	}
	return n
}

// sweep forgets the sessions that have ended. The lock is held.
func (s *sessions) sweep() {
	live := map[string]bool{}
	for one := range s.server.Sessions() {
		live[one.ID()] = true
	}
	for id := range s.all {
		if !live[id] {
			s.drop(id)
		}
	}
}

// spare ends the session of who that nobody has used for the longest time, or
// returns in how long it may. The lock is held.
func (s *sessions) spare(who string) time.Duration {
	oldest := ""
	for id, one := range s.all {
		if one.busy == 0 && (who == "" || one.who == who) && (oldest == "" || one.used.Before(s.all[oldest].used)) {
			oldest = id
		}
	}
	if oldest == "" {
		return sessionSpare
	}
	if left := sessionSpare - s.now().Sub(s.all[oldest].used); left > 0 {
		return left
	}
	s.drop(oldest)
	return 0
}

// drop forgets a session, and ends it. The lock is held.
func (s *sessions) drop(id string) {
	s.all[id].ended()
	delete(s.all, id)
}

// begun counts the session that a request began, if it did. It ends with the
// credential.
func (s *sessions) begun(who string, p *auth.Principal, header http.Header) {
	var found *sdk.ServerSession
	if id := header.Get(sessionHeader); id != "" {
		for one := range s.server.Sessions() {
			if one.ID() == id {
				found = one
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.soon[who]--; s.soon[who] == 0 {
		delete(s.soon, who)
	}
	if found == nil {
		return
	}
	life, ended := p.Bind(context.Background())
	context.AfterFunc(life, func() { found.Close() })
	s.all[found.ID()] = &session{who: who, ended: ended, used: s.now()}
}

// use counts a request of a session until it is over.
func (s *sessions) use(id string) (over func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[id]
	if one == nil {
		return func() {}
	}
	one.busy++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		one.busy--
		one.used = s.now()
	}
}

const sessionHeader = "Mcp-Session-Id"
