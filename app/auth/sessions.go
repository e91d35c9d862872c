package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Session is one device on which a person is signed in. It is not the cookie,
// which only the device has.
type Session struct {
	ID        string
	Tenant    string
	Person    string
	Assurance sayso.Assurance
	Device    string // such as "Firefox on Linux"; see [Device]
	Created   time.Time
	Used      time.Time // the last use, give or take SessionsOptions.Renew
	Until     time.Time // it ends then if it is not used
	Run       string    // the process that it ends with; empty: none
	Paired    bool      // a device of the person's own: it ends only when it is not used
}

// SessionsOptions are the options of [NewSessions]. Nil means the defaults.
type SessionsOptions struct {
	Run    string           // sessions end with this run, and those of others are refused; default: they outlive the process
	Idle   time.Duration    // a session that is not used for so long ends; default: 12 h
	Most   time.Duration    // a session ends after so long, used or not; default: 30 days
	Paired time.Duration    // a paired device that is not used for so long is signed out; default: 90 days
	Renew  time.Duration    // how often the use of a session is written down; default: 5 min
	Reread time.Duration    // how often sessions in use are read again, in case a change was missed; default: 10 s
	Max    int              // sessions of one person; the least recently used ends for one more; default: 50
	Now    func() time.Time // default: time.Now

	// Note is told of what concerns security, by whoever caused it: it must not
	// block. Default: nobody is.
	Note func(SessionEvent)
}

// SessionEvent is something that became of a session.
type SessionEvent struct {
	What    string  // begun, ended or refused
	Why     string  // of a refusal: malformed, unknown, secret, ended, expired or run
	Session Session // of a refusal that is malformed or unknown: empty
}

// Sessions are the places where people are signed in, in the store of a hub.
// Several processes may share a store. All methods may be called from several
// goroutines.
type Sessions struct {
	store hub.Store
	opts  SessionsOptions

	mu      sync.Mutex
	live    map[hub.Address]*live
	changes atomic.Uint64 // counts what may have ended a session
	links   *rate.Limiter

	recheck chan struct{} // holds one token
	stop    context.CancelFunc
	work    sync.WaitGroup
}

// ErrNoSession says that the person has no such session, or no longer.
var ErrNoSession = errors.New("auth: no such session")

// tombstone is how long an ended session is remembered as such, so that whoever
// follows the store hears of it.
const tombstone = time.Minute

// NewSessions returns the sessions in the store and follows its changes. Close
// them before the store.
func NewSessions(store hub.Store, opts *SessionsOptions) *Sessions {
	s := &Sessions{store: store, live: map[hub.Address]*live{}, recheck: make(chan struct{}, 1), links: linkTries()}
	if opts != nil {
		s.opts = *opts
	}
	o := &s.opts
	o.Idle, o.Most = cmp.Or(o.Idle, 12*time.Hour), cmp.Or(o.Most, 30*24*time.Hour)
	o.Paired = cmp.Or(o.Paired, 90*24*time.Hour)
	o.Renew, o.Reread = cmp.Or(o.Renew, 5*time.Minute), cmp.Or(o.Reread, 10*time.Second)
	o.Max = cmp.Or(o.Max, 50)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Note == nil {
		o.Note = func(SessionEvent) {}
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.work.Go(func() { s.watch(ctx) })
	s.work.Go(func() { s.expire(ctx) })
	return s
}

// Close stops following the store. What is under way on behalf of a session ends.
func (s *Sessions) Close() {
	s.stop()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for addr, l := range s.live {
		l.end()
		delete(s.live, addr)
	}
}

// Begin signs the person in on a device and returns the cookie, which nobody can
// show again. It holds until the session's Until, and longer when it is used.
func (s *Sessions) Begin(ctx context.Context, who *Principal, device string) (cookie string, _ *Session, err error) {
	now := s.opts.Now().UTC()
	n := &Session{
		ID: random(idBytes), Tenant: who.Tenant, Person: who.ID, Assurance: who.Assurance,
		Device: device, Created: now, Used: now, Run: s.opts.Run, Paired: who.Paired,
	}
	n.Until = s.until(n, now)
	if err := s.makeRoom(ctx, n); err != nil {
		return "", nil, fmt.Errorf("auth: beginning a session: %w", err)
	}
	cookie = newCookie(n)
	r, err := n.record(sumOf(cookie), now)
	if err == nil {
		_, err = s.store.Put(ctx, r, 0)
	}
	if err != nil {
		return "", nil, fmt.Errorf("auth: beginning a session: %w", err)
	}
	s.opts.Note(SessionEvent{What: "begun", Session: *n})
	return cookie, n, nil
}

// until is when a session ends that was used at that time.
func (s *Sessions) until(n *Session, used time.Time) time.Time {
	if n.Paired {
		return used.Add(s.opts.Paired)
	}
	until, most := used.Add(s.opts.Idle), n.Created.Add(s.opts.Most)
	if most.Before(until) {
		return most
	}
	return until
}

// makeRoom ends the least recently used sessions of a person who has too many.
func (s *Sessions) makeRoom(ctx context.Context, n *Session) error {
	all, err := s.List(ctx, n.Tenant, n.Person)
	if err != nil {
		return err
	}
	for len(all) >= s.opts.Max {
		oldest := all[len(all)-1]
		if err := s.End(ctx, n.Tenant, n.Person, oldest.ID); err != nil && !errors.Is(err, ErrNoSession) {
			return err
		}
		all = all[:len(all)-1]
	}
	return nil
}

// List returns the sessions of a person, the last used first.
func (s *Sessions) List(ctx context.Context, tenant, person string) ([]Session, error) {
	now := s.opts.Now()
	q := hub.Query{Kind: hub.KindSession, Tenant: tenant, Person: &person, Limit: 1000}
	var all []Session
	for {
		page, err := s.store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("auth: listing sessions: %w", err)
		}
		for _, r := range page.Records {
			if n, _, err := parseRecord(r); err == nil && s.holds(r, n, now) == "" {
				all = append(all, *n)
			}
		}
		if page.Next == "" {
			break
		}
		q.Cursor = page.Next
	}
	slices.SortFunc(all, func(a, b Session) int {
		return cmp.Or(b.Used.Compare(a.Used), b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(all, func(a, b Session) bool { return a.ID == b.ID }), nil // a page may repeat one that changed
}

// holds returns why the session does not hold, or nothing.
func (s *Sessions) holds(r hub.Record, n *Session, now time.Time) (why string) {
	switch {
	case r.Closed:
		return "ended"
	case n.Run != s.opts.Run:
		return "run"
	case !now.Before(n.Until):
		return "expired"
	}
	return ""
}

// Holds reports whether the person has that session still.
func (s *Sessions) Holds(ctx context.Context, tenant, person, id string) (bool, error) {
	r, err := s.store.Get(ctx, hub.KindSession, hub.Address{Tenant: tenant, Person: person, ID: id})
	if errors.Is(err, hub.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("auth: reading a session: %w", err)
	}
	n, _, err := parseRecord(r)
	if err != nil {
		return false, err
	}
	return s.holds(r, n, s.opts.Now()) == "", nil
}

// End ends a session of the person, here at once and within a second elsewhere.
// Ending again changes nothing; [ErrNoSession] says that there is no such session,
// or that it ended a while ago.
func (s *Sessions) End(ctx context.Context, tenant, person, id string) error {
	addr := hub.Address{Tenant: tenant, Person: person, ID: id}
	for {
		r, err := s.store.Get(ctx, hub.KindSession, addr)
		if errors.Is(err, hub.ErrNotFound) {
			return ErrNoSession
		}
		if err != nil {
			return fmt.Errorf("auth: ending a session: %w", err)
		}
		n, _, err := parseRecord(r)
		if err == nil && r.Closed {
			return nil
		}
		if err != nil || s.holds(r, n, s.opts.Now()) != "" {
			return ErrNoSession
		}
		_, err = s.store.Put(ctx, hub.Record{Kind: r.Kind, Address: addr, Closed: true, TTL: tombstone, Data: r.Data}, r.Revision)
		if errors.Is(err, hub.ErrConflict) {
			continue // it was used meanwhile, or ended
		}
		if err != nil {
			return fmt.Errorf("auth: ending a session: %w", err)
		}
		s.ended(addr)
		s.opts.Note(SessionEvent{What: "ended", Session: *n})
		return nil
	}
}

// EndAll ends the sessions of the person, but for the one to keep, and returns
// how many.
func (s *Sessions) EndAll(ctx context.Context, tenant, person, keep string) (int, error) {
	all, err := s.List(ctx, tenant, person)
	if err != nil {
		return 0, err
	}
	ended := 0
	for _, n := range all {
		if n.ID == keep {
			continue
		}
		switch err := s.End(ctx, tenant, person, n.ID); {
		case err == nil:
			ended++
		case !errors.Is(err, ErrNoSession):
			return ended, err
		}
	}
	return ended, nil
}
