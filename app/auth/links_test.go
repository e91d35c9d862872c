package auth

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/hub"
)

// TestLinks: a link that one process gave out signs a person in at any other, once.
func TestLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		all := []*sessionWorld{newSessions(t, store, nil), newSessions(t, store, nil), newSessions(t, store, nil)}
		word, err := all[0].NewLink(t.Context(), ann)
		if err != nil {
			t.Fatal(err)
		}
		var in, used atomic.Int64
		var work sync.WaitGroup
		for i := range 30 {
			work.Go(func() {
				who, err := all[i%3].UseLink(t.Context(), word)
				switch {
				case err == nil:
					in.Add(1)
					if who.Tenant != ann.Tenant || who.ID != ann.ID || who.Role != Answerer || who.Assurance != ann.Assurance {
						t.Errorf("got %+v", who)
					}
				case errors.Is(err, ErrUsed):
					used.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		work.Wait()
		if in.Load() != 1 || used.Load() != 29 {
			t.Errorf("a link let %d in, and %d were told that it is used", in.Load(), used.Load())
		}
		late, err := all[0].NewLink(t.Context(), ann)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(LinkFor - time.Second)
		if _, err := all[1].UseLink(t.Context(), word); !errors.Is(err, ErrUsed) {
			t.Errorf("a used link within its time: %v", err)
		}
		time.Sleep(time.Second)
		for _, bad := range []string{late, word, "guess", random(secretBytes)} {
			if _, err := all[1].UseLink(t.Context(), bad); !errors.Is(err, ErrCredential) {
				t.Errorf("%q is no link, or no longer: %v", bad, err)
			}
		}
	})
}

// A link of sessions that end with their process ends with it, too.
func TestLinkOfRun(t *testing.T) {
	t.Parallel()
	store := hub.NewMemory(nil)
	one, two := newSessions(t, store, &SessionsOptions{Run: "1"}), newSessions(t, store, &SessionsOptions{Run: "2"})
	word, err := one.NewLink(t.Context(), ann)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := two.UseLink(t.Context(), word); !errors.Is(err, ErrCredential) {
		t.Errorf("another run takes it: %v", err)
	}
	if _, err := one.UseLink(t.Context(), word); err != nil {
		t.Error(err)
	}
}

// Whoever guesses does not keep the store busy.
func TestLinksGuessed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &counting{Store: hub.NewMemory(nil)}
		s := NewSessions(store, nil)
		defer s.Close()
		for range 1000 {
			if _, err := s.UseLink(t.Context(), random(secretBytes)); !errors.Is(err, ErrCredential) {
				t.Fatal(err)
			}
		}
		if n := store.gets.Load(); n != 100 {
			t.Errorf("the store was asked %d times for 1000 guesses, want 100", n)
		}
	})
}
