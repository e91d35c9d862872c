package natsstore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/hub/hubtest"
)

// resuming tells when a list behind a position was read.
type resuming struct {
	hub.Store
	read func()
}

func (s *resuming) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	page, err := s.Store.List(ctx, q)
	if q.After != nil && err == nil {
		s.read()
	}
	return page, err
}

// readEvents reads up to the first event that is wanted.
func readEvents(t *testing.T, h *hub.Hub, after string, want func(hub.FollowEvent) bool) (all []hub.FollowEvent) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	f, err := h.Follow(ctx, "acme", nil, after)
	must(t, err)
	defer f.Close()
	for {
		events, err := f.Next(ctx)
		if err != nil {
			t.Fatalf("%v, after %+v", err, all)
		}
		for _, e := range events {
			if all = append(all, e); want(e) {
				return all
			}
		}
	}
}

// A reader goes on at a hub that has not heard yet what another one has told. Nothing is told again there.
func TestFollowLate(t *testing.T) {
	e := newEngine(t)
	for _, shards := range []int{1, 4} {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			early := e.store(t, natsstore.Options{Shards: shards})
			late := e.peer(t, early).(*natsstore.Store)
			hold := make(chan struct{})
			release := sync.OnceFunc(func() { close(hold) })
			open := func(s hub.Store) *hub.Hub {
				h, err := hub.Open(t.Context(), s, nil)
				must(t, err)
				t.Cleanup(h.Stop)
				return h
			}
			// What is unsure is told ahead of the position.
			first := open(&hubtest.Faulty{Store: early, Plan: func(hubtest.Step) hubtest.Fault { return hubtest.Fault{Unsure: true} }})
			second := open(&resuming{late, release})
			t.Cleanup(release)
			submit := func(id string) *hub.Ticket {
				a := &sayso.Ask{ID: id, Questions: []sayso.Question{{Text: "Paint the wall?"}}}
				a.Normalize()
				ticket, err := first.Submit(t.Context(), "acme", a)
				if err != nil {
					t.Error(err)
				}
				return ticket
			}
			readEvents(t, second, "", func(e hub.FollowEvent) bool { return e.Ready }) // from now on it listens
			late.Lose(func(*nats.Msg) bool { <-hold; return false })
			var id string
			var closed *hub.Ticket
			readEvents(t, first, "", func(e hub.FollowEvent) bool {
				switch id = e.ID; {
				case e.Ready:
					o := &sayso.Outcome{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: sayso.ByAsker}}
					var err error
					closed, err = first.Close(t.Context(), submit("x"), o, nil)
					must(t, err)
				case e.Ticket != nil:
					return e.Ticket.Revision == closed.Revision
				}
				return false
			})
			var work sync.WaitGroup
			defer work.Wait()
			work.Go(func() {
				<-hold
				submit("y")
			})
			for _, e := range readEvents(t, second, id, func(e hub.FollowEvent) bool { return e.Ticket != nil && e.Ticket.Ask.ID == "y" }) {
				if e.Reset || e.Ticket.Ask.ID != "y" {
					t.Errorf("told again: %+v", e)
				}
			}
		})
	}
}
