package hub_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// slowReads is a store whose first read of an ask takes until release is closed.
type slowReads struct {
	*hub.Memory
	read    atomic.Bool
	release chan struct{}
}

func (s *slowReads) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	r, err := s.Memory.Get(ctx, kind, addr)
	if kind == hub.KindTicket && s.read.CompareAndSwap(false, true) {
		<-s.release
	}
	return r, err
}

// TestWaitAfterOlderRead: who begins to wait is not told what was read before that, on
// behalf of somebody who has left.
func TestWaitAfterOlderRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &slowReads{Memory: hub.NewMemory(nil), release: make(chan struct{})}
		h, err := hub.Open(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Stop()
		a := &sayso.Ask{ID: "a", Questions: []sayso.Question{{Text: "Which database?"}}}
		a.Normalize()
		ctx, leave := context.WithCancel(t.Context())
		go h.Wait(ctx, hub.AddressOf("t", a))
		synctest.Wait() // it was read that there is no such ask
		leave()
		synctest.Wait()
		asked, err := h.Submit(t.Context(), "t", a)
		if err != nil {
			t.Fatal(err)
		}
		var told *hub.Ticket
		go func() {
			var err error
			if told, err = h.Wait(t.Context(), asked.Address); err != nil {
				t.Errorf("whoever waits is told %v", err)
			}
		}()
		synctest.Wait()
		close(s.release)
		synctest.Wait()
		if _, err := h.Close(t.Context(), asked, &sayso.Outcome{Status: sayso.StatusDeclined, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}}, nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if told == nil || told.Status() != sayso.StatusDeclined {
			t.Errorf("whoever waits is told of %+v", told)
		}
	})
}
