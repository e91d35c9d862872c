package auth

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

var ann = &Principal{Tenant: "acme", ID: "ann", Role: Answerer, Assurance: sayso.AssuranceKey}

// sessionWorld has sessions over a store in memory, with the clock of the test.
type sessionWorld struct {
	*Sessions
	t     *testing.T
	store *hub.Memory
}

func newSessions(t *testing.T, store *hub.Memory, opts *SessionsOptions) *sessionWorld {
	if opts == nil {
		opts = &SessionsOptions{}
	}
	if opts.Reread == 0 {
		opts.Reread = time.Hour
	}
	w := &sessionWorld{NewSessions(store, opts), t, store}
	t.Cleanup(w.Close)
	return w
}

func (w *sessionWorld) begin(who *Principal) string {
	w.t.Helper()
	cookie, _, err := w.Begin(w.t.Context(), who, "Firefox on Linux")
	if err != nil {
		w.t.Fatal(err)
	}
	return cookie
}

// enter returns who has the cookie, who must be somebody.
func (w *sessionWorld) enter(cookie string) *Principal {
	w.t.Helper()
	who, _, err := w.Authenticate(w.t.Context(), cookie)
	if err != nil {
		w.t.Fatal(err)
	}
	return who
}

func (w *sessionWorld) refused(cookie string) {
	w.t.Helper()
	if who, _, err := w.Authenticate(w.t.Context(), cookie); !errors.Is(err, ErrCredential) {
		w.t.Errorf("got %+v, %v; want it refused", who, err)
	}
}

func TestSessionSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSessions(t, hub.NewMemory(nil), nil)
		cookie := w.begin(ann)
		who := w.enter(cookie)
		if who.Tenant != "acme" || who.ID != "ann" || who.Role != Answerer || who.Assurance != sayso.AssuranceKey || who.Session == "" {
			t.Errorf("got %+v", who)
		}
		ctx, cancel := who.Bind(t.Context())
		defer cancel()
		if _, renewed, _ := w.Authenticate(t.Context(), cookie); renewed != 0 {
			t.Error("a session that was just begun is renewed")
		}
		began := time.Now()
		for range 10 {
			time.Sleep(11 * time.Hour)
			if _, renewed, err := w.Authenticate(t.Context(), cookie); err != nil || renewed != 12*time.Hour {
				t.Fatalf("after %v: renewed for %v, %v", time.Since(began), renewed, err)
			}
		}
		if ctx.Err() != nil {
			t.Error("what was begun at first has ended")
		}
		time.Sleep(12*time.Hour - time.Second)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Error("it ended before its time")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if context.Cause(ctx) != ErrCredential {
			t.Errorf("after 12 h without use: %v", context.Cause(ctx))
		}
		w.refused(cookie)
	})
}

// However often it is used, a session ends.
func TestSessionAbsoluteEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSessions(t, hub.NewMemory(nil), nil)
		cookie := w.begin(ann)
		ctx, cancel := w.enter(cookie).Bind(t.Context())
		defer cancel()
		for range 65 {
			time.Sleep(11 * time.Hour)
			w.enter(cookie)
		}
		time.Sleep(5 * time.Hour)
		w.refused(cookie)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("its stream goes on")
		}
	})
}

// The use of a session is written at most so often.
func TestSessionWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		w := newSessions(t, store, nil)
		cookie := w.begin(ann)
		addr, _ := parseCookie(cookie)
		before, err := store.Get(t.Context(), hub.KindSession, addr)
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			time.Sleep(10 * time.Second)
			w.enter(cookie)
		}
		after, err := store.Get(t.Context(), hub.KindSession, addr)
		if err != nil || after.Revision != before.Revision+2 {
			t.Errorf("%d writes in ten minutes, want 2 (%v)", after.Revision-before.Revision, err)
		}
	})
}

// Ending refuses the cookie at once, and ends what is under way: here, and in
// another process that has the same store.
func TestSessionEnds(t *testing.T) {
	for name, end := range map[string]func(*sessionWorld, string) error{
		"one": func(w *sessionWorld, id string) error { return w.End(w.t.Context(), "acme", "ann", id) },
		"all": func(w *sessionWorld, id string) error {
			_, err := w.EndAll(w.t.Context(), "acme", "ann", "")
			return err
		},
		"all but others": func(w *sessionWorld, id string) error {
			_, err := w.EndAll(w.t.Context(), "acme", "ann", "x")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := hub.NewMemory(nil)
				here, there := newSessions(t, store, nil), newSessions(t, store, nil)
				cookie := here.begin(ann)
				bobs := here.begin(&Principal{Tenant: "acme", ID: "bob"})
				own, cancel := here.enter(cookie).Bind(t.Context())
				defer cancel()
				far, cancel := there.enter(cookie).Bind(t.Context())
				defer cancel()
				if err := end(here, here.enter(cookie).Session); err != nil {
					t.Fatal(err)
				}
				here.refused(cookie)
				there.refused(cookie)
				synctest.Wait()
				if own.Err() == nil || far.Err() == nil {
					t.Errorf("what was under way: here %v, elsewhere %v", own.Err(), far.Err())
				}
				here.enter(bobs)
				time.Sleep(2 * tombstone)
				here.refused(cookie)
			})
		})
	}
}

// deafStore is a store whose changes nobody hears of.
type deafStore struct{ hub.Store }

func (deafStore) Watch(ctx context.Context, _ hub.Query, ready func(), _ func(hub.Record)) error {
	ready()
	<-ctx.Done()
	return ctx.Err()
}

// A change that was missed is found by reading again.
func TestSessionMissedEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		here := newSessions(t, store, nil)
		deaf := NewSessions(deafStore{store}, nil)
		defer deaf.Close()
		cookie := here.begin(ann)
		who, _, err := deaf.Authenticate(t.Context(), cookie)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := who.Bind(t.Context())
		defer cancel()
		if err := here.End(t.Context(), "acme", "ann", who.Session); err != nil {
			t.Fatal(err)
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("it goes on")
		}
	})
}

func TestSessionRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		one := newSessions(t, store, &SessionsOptions{Run: "one"})
		two := newSessions(t, store, &SessionsOptions{Run: "two"})
		none := newSessions(t, store, nil)
		cookie, lasting := one.begin(ann), none.begin(ann)
		one.enter(cookie)
		none.enter(lasting)
		newSessions(t, store, nil).enter(lasting)
		two.refused(cookie)
		none.refused(cookie)
		one.refused(lasting)
		if all, err := two.List(t.Context(), "acme", "ann"); err != nil || len(all) != 0 {
			t.Errorf("the other run has %v, %v", all, err)
		}
	})
}

func TestSessionList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSessions(t, hub.NewMemory(nil), &SessionsOptions{Max: 3})
		var cookies []string
		for range 3 {
			time.Sleep(time.Minute)
			cookies = append(cookies, w.begin(ann))
		}
		w.begin(&Principal{Tenant: "acme", ID: "bob"})
		w.begin(&Principal{Tenant: "other", ID: "ann"})
		time.Sleep(10 * time.Minute)
		first := w.enter(cookies[0]).Session // used last now
		all, err := w.List(t.Context(), "acme", "ann")
		if err != nil || len(all) != 3 || all[0].ID != first || all[0].Device != "Firefox on Linux" || !all[0].Used.After(all[0].Created) {
			t.Errorf("got %+v, %v", all, err)
		}
		w.begin(ann) // one too many: the second is the least recently used
		w.refused(cookies[1])
		w.enter(cookies[0])
		w.enter(cookies[2])
		for _, err := range []error{
			w.End(t.Context(), "acme", "bob", first), w.End(t.Context(), "other", "ann", first), w.End(t.Context(), "acme", "ann", "nosuch"),
		} {
			if !errors.Is(err, ErrNoSession) {
				t.Errorf("ending what is not one's own: %v", err)
			}
		}
		if n, err := w.EndAll(t.Context(), "acme", "ann", first); n != 2 || err != nil {
			t.Errorf("%d ended, %v", n, err)
		}
		w.enter(cookies[0])
	})
}

// brokenStore cannot be read at the moment.
type brokenStore struct{ deafStore }

func (brokenStore) Get(context.Context, hub.Kind, hub.Address) (hub.Record, error) {
	return hub.Record{}, hub.ErrUndecided
}

// A store that cannot be read is no reason to say that somebody is signed out.
func TestSessionStoreAway(t *testing.T) {
	store := hub.NewMemory(nil)
	cookie := newSessions(t, store, nil).begin(ann)
	away := NewSessions(brokenStore{deafStore{store}}, nil)
	defer away.Close()
	if _, _, err := away.Authenticate(t.Context(), cookie); !errors.Is(err, hub.ErrUndecided) || errors.Is(err, ErrCredential) {
		t.Errorf("got %v", err)
	}
}

func TestSessionNotes(t *testing.T) {
	var notes []string
	w := newSessions(t, hub.NewMemory(nil), &SessionsOptions{Note: func(e SessionEvent) {
		notes = append(notes, fmt.Sprint(e.What, e.Why, e.Session.Person))
	}})
	cookie := w.begin(ann)
	w.refused(cookie + "A")
	w.refused("s1.A")
	if err := w.End(t.Context(), "acme", "ann", w.enter(cookie).Session); err != nil {
		t.Fatal(err)
	}
	w.refused(cookie)
	if got, want := fmt.Sprint(notes), "[begunann refusedsecretann refusedmalformed endedann refusedendedann]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDevice(t *testing.T) {
	for ua, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                  "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":           "Edge on Windows",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":                         "Chrome on Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36":                   "Chrome on macOS",
		"<script>alert(1)</script>\x1b[31m": "A browser",
		"":                                  "A browser",
	} {
		if got := Device(ua); got != want {
			t.Errorf("%q is %q, want %q", ua, got, want)
		}
	}
}

// TestPaired: a paired device stays signed in as long as it is used, and another one
// does not.
func TestPaired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions(hub.NewMemory(nil), &SessionsOptions{Reread: 24 * time.Hour})
		defer s.Close()
		begin := func(paired bool) (string, *Session) {
			word, err := s.NewLink(t.Context(), &Principal{Tenant: "local", Paired: paired})
			if err != nil {
				t.Fatal(err)
			}
			who, err := s.UseLink(t.Context(), word)
			if err != nil || who.Paired != paired {
				t.Fatal(who, err)
			}
			cookie, n, err := s.Begin(t.Context(), who, "x")
			if err != nil {
				t.Fatal(err)
			}
			return cookie, n
		}
		phone, n := begin(true)
		for range 4 { // longer than any other session may last
			time.Sleep(89 * 24 * time.Hour)
			if _, renewed, err := s.Authenticate(t.Context(), phone); err != nil || renewed != 90*24*time.Hour {
				t.Fatalf("renewed for %v: %v", renewed, err)
			}
		}
		if ok, err := s.Holds(t.Context(), "local", "", n.ID); !ok || err != nil {
			t.Error("the session does not hold:", err)
		}
		time.Sleep(91 * 24 * time.Hour)
		if _, _, err := s.Authenticate(t.Context(), phone); !errors.Is(err, ErrCredential) {
			t.Errorf("after 91 days without use: %v", err)
		}
		if ok, err := s.Holds(t.Context(), "local", "", n.ID); ok || err != nil {
			t.Error("the session holds:", err)
		}
		desk, _ := begin(false)
		time.Sleep(13 * time.Hour)
		if _, _, err := s.Authenticate(t.Context(), desk); !errors.Is(err, ErrCredential) {
			t.Errorf("after 13 hours without use: %v", err)
		}
		_, n = begin(false)
		if err := s.End(t.Context(), "local", "", n.ID); err != nil {
			t.Fatal(err)
		}
		if ok, err := s.Holds(t.Context(), "local", "", n.ID); ok || err != nil {
			t.Error("an ended session holds:", err)
		}
	})
}
