package codex

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/door/bridge"
)

// session is one connection to Codex, and what is known of its threads, as Codex calls
// the sessions of people.
type session struct {
	conn   *conn
	bridge *bridge.Bridge
	opts   *Options
	home   string
	ctx    context.Context // of the connection
	work   sync.WaitGroup

	mu      sync.Mutex
	threads map[string]*joined
	active  map[string]bool // threads with a turn under way
	told    map[string]bool // threads whose status Codex told of by itself
	rests   func()          // while there are some
	last    chan struct{}   // closed when what was begun last has ended: see then
}

// joined is a thread of which everything is told.
type joined struct {
	ready   chan struct{} // closed when it is known
	info    thread
	items   map[string]*item
	asks    map[string]*asked // by the id of the request
	ended   string            // how its last turn ended
	changed chan struct{}     // closed at every change
}

// news notes that something has changed. The lock is held.
func (t *joined) news() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// begin introduces us, and joins the threads that wait already.
func (s *session) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var hello struct {
		Home string `json:"codexHome"`
	}
	err := s.conn.call(ctx, callBegin, map[string]any{
		"clientInfo":   map[string]any{"name": "sayso", "title": "sayso", "version": "1"},
		"capabilities": map[string]any{"experimentalApi": true},
	}, &hello)
	if err != nil {
		return err
	}
	if hello.Home != "" {
		s.home = hello.Home
	}
	if err := s.conn.tell(ctx, tellBegun); err != nil {
		return err
	}
	var loaded struct {
		Data []string `json:"data"`
	}
	if err := s.conn.call(ctx, callLoaded, map[string]any{}, &loaded); err != nil {
		return err
	}
	for _, id := range loaded.Data {
		var r struct {
			Thread thread `json:"thread"`
		}
		if err := s.conn.call(ctx, callRead, map[string]any{"threadId": id, "includeTurns": false}, &r); err != nil {
			s.opts.Log.Debug("a thread of Codex cannot be read", "thread", id, "err", err)
			continue // some cannot
		}
		s.found(id, r.Thread.Status)
	}
	return nil
}

// found follows a thread by what we asked for. What Codex told of it by itself counts
// more: it tells every change, and we may come to read a reply after a later change.
func (s *session) found(id string, now status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.told[id] {
		s.becomes(id, now)
	}
}

// handle takes what Codex says. It is called for one message at a time, and returns at
// once.
func (s *session) handle(m *message) {
	var p params
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	switch {
	case len(m.ID) > 0:
		s.work.Go(func() { s.asks(m, &p) })
	case m.Method == toldStatus:
		s.follow(p.Thread, p.Status)
	case m.Method == toldClosed:
		s.follow(p.Thread, status{})
	case m.Method == toldItem || m.Method == toldItemEnd || m.Method == toldPatch:
		s.step(&p)
	case m.Method == toldTurnEnd:
		s.turnEnded(&p)
	case m.Method == toldResolved:
		s.resolved(&p)
	}
}

// follow follows a thread by what Codex tells.
func (s *session) follow(id string, now status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told[id] = true
	s.becomes(id, now)
}

// becomes joins a thread that waits for a person, and leaves it when its turn has ended:
// Codex keeps what somebody has joined. The lock is held.
func (s *session) becomes(id string, now status) {
	working := len(s.active) > 0
	if now.Type == statusWaits {
		s.active[id] = true
	} else {
		delete(s.active, id)
	}
	switch {
	case !working && len(s.active) > 0:
		s.rests = s.opts.Working()
	case working && len(s.active) == 0:
		s.rests()
		s.rests = nil
	}
	t := s.threads[id]
	switch {
	case now.waits() && t == nil:
		t = &joined{ready: make(chan struct{}), items: map[string]*item{}, asks: map[string]*asked{}, changed: make(chan struct{})}
		s.threads[id] = t
		s.then(func() { s.join(id, t) })
	case now.Type != statusWaits && t != nil:
		delete(s.threads, id)
		t.news()
		s.then(func() {
			if err := s.conn.call(s.ctx, callLeave, map[string]any{"threadId": id}, nil); err != nil {
				s.opts.Log.Debug("a thread of Codex cannot be left", "thread", id, "err", err)
			}
		})
	}
}

// then does something when what was begun before has ended: a thread that is left and
// joined again must be joined at the end. The lock is held.
func (s *session) then(do func()) {
	before, done := s.last, make(chan struct{})
	s.last = done
	s.work.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		do()
	})
}

// rest ends what follow has begun.
func (s *session) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rests != nil {
		s.rests()
		s.rests = nil
	}
}

// join joins a thread. Codex then sends what waits again, to us as well.
func (s *session) join(id string, t *joined) {
	var r resumed
	err := s.conn.call(s.ctx, callResume, map[string]any{
		"threadId": id, "excludeTurns": true, // the last turn is enough, and others may be long
		"initialTurnsPage": map[string]any{"limit": 1, "sortDirection": "desc", "itemsView": "full"},
	}, &r)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(t.ready)
	if err != nil {
		s.opts.Log.Warn("a session of Codex cannot be joined: what it asks is in Codex only", "thread", id, "err", err)
		return // it stays as it is: the next turn may be luckier
	}
	t.info = r.Thread
	turns := r.Thread.Turns
	if r.Page != nil {
		turns = append(turns, r.Page.Data...)
	}
	for _, turn := range turns {
		for _, raw := range turn.Items {
			var i item
			if json.Unmarshal(raw, &i) == nil && t.items[i.ID] == nil {
				t.items[i.ID] = &i
			}
		}
	}
}

// step notes a step of a turn.
func (s *session) step(p *params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.threads[p.Thread]
	if t == nil {
		return
	}
	var i item
	switch {
	case p.Item != nil:
		if json.Unmarshal(p.Item, &i) != nil {
			return
		}
	case t.items[p.ItemID] != nil:
		i = *t.items[p.ItemID]
		i.Changes = p.Changes
	default:
		i = item{Type: "fileChange", ID: p.ItemID, Changes: p.Changes, Status: "inProgress"}
	}
	t.items[i.ID] = &i
	t.news()
}

func (s *session) turnEnded(p *params) {
	var ended turn
	if json.Unmarshal(p.Turn, &ended) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.threads[p.Thread]; t != nil {
		t.ended = ended.Status
		t.news()
	}
}

// find returns a step of the thread; nil if none or several fit.
func (s *session) find(t *joined) func(func(*item) bool) *item {
	return func(fits func(*item) bool) *item {
		s.mu.Lock()
		defer s.mu.Unlock()
		var found *item
		for _, i := range t.items {
			if fits(i) && found != nil {
				return nil
			}
			if fits(i) {
				found = i
			}
		}
		return found
	}
}
