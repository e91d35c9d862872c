package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/conversation"
	"github.com/saysohq/sayso/hub"
)

// handles remembers by which handle the hub knows the asks that this host put.
type handles struct {
	mu  sync.Mutex
	all map[string]string // by ask
}

func (h *handles) set(ask, handle string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]string{}
	}
	h.all[ask] = handle
}

func (h *handles) get(ask string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all[ask]
}

func (h *handles) drop(ask string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, ask)
}

// putAsk stores an ask, and returns its outcome if it has one already.
func (h *Host) putAsk(ctx context.Context, a *sayso.Ask) *sayso.Outcome {
	var t *hub.Ticket
	err := h.patiently(ctx, "put an ask", func() (err error) {
		t, err = h.o.Asks.Submit(ctx, a)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return &sayso.Outcome{Status: sayso.StatusUnreachable, Reason: err.Error(), By: sayso.Responder{Kind: sayso.ByPolicy}}
	}
	h.handles.set(a.ID, t.Handle)
	if t.Open() {
		return nil
	}
	return h.takeOutcome(ctx, a)
}

// takeOutcome returns the outcome of an ask, nil if it is open (again). From then on
// the outcome cannot be undone; taking it again is the same.
func (h *Host) takeOutcome(ctx context.Context, a *sayso.Ask) (o *sayso.Outcome) {
	err := h.patiently(ctx, "take an answer", func() error {
		handle := h.handles.get(a.ID)
		if handle == "" { // another run of the host put it
			t, err := h.o.Asks.Submit(ctx, a)
			if err != nil || t.Open() {
				return err
			}
			handle = t.Handle
		}
		t, err := h.o.Asks.Consume(ctx, handle)
		if errors.Is(err, hub.ErrOpen) {
			return nil
		}
		if err == nil {
			o = t.Outcome
		}
		return err
	})
	if errors.Is(err, hub.ErrNotFound) {
		o = &sayso.Outcome{Status: sayso.StatusUnreachable, Reason: "the ask is no longer known", By: sayso.Responder{Kind: sayso.ByPolicy}}
	}
	if o != nil {
		h.handles.drop(a.ID)
	}
	return o
}

// withdrawAsk takes an ask back, and reports whether nobody will answer it any more.
func (h *Host) withdrawAsk(ctx context.Context, root string, e conversation.WithdrawAsk) bool {
	err := h.patiently(ctx, "withdraw an ask", func() error {
		handle, err := h.find(ctx, root, e.Ask)
		if err != nil || handle == "" {
			return err
		}
		_, err = h.o.Asks.Withdraw(ctx, handle, e.Status, e.Reason)
		var closed *hub.ClosedError
		if err != nil && !errors.As(err, &closed) { // else somebody was faster, and it does not matter
			return err
		}
		_, err = h.o.Asks.Consume(ctx, handle) // nobody has to be told
		return err
	})
	if err != nil && !errors.Is(err, hub.ErrNotFound) {
		return false
	}
	h.handles.drop(e.Ask)
	return true
}

// find returns the handle of an ask of the conversation, "" if it is not open.
func (h *Host) find(ctx context.Context, root, ask string) (handle string, err error) {
	if handle = h.handles.get(ask); handle != "" {
		return handle, nil
	}
	err = hub.Each(ctx, h.o.Asks, &hub.Filter{Conversation: root}, func(t *hub.Ticket) bool {
		if t.Ask.ID == ask {
			handle = t.Handle
		}
		return handle == ""
	})
	return handle, err
}

// patiently calls f until it succeeds, fails for good or ctx ends.
func (h *Host) patiently(ctx context.Context, what string, f func() error) error {
	wait := 10 * time.Millisecond
	for {
		err := f()
		if err == nil || ctx.Err() != nil || final(err) {
			return err
		}
		h.warn(what, err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait = min(2*wait, 5*time.Second)
	}
}

// final reports whether an error of the hub is one that will not pass.
func final(err error) bool {
	var invalid *sayso.InvalidError
	var changed *hub.ChangedError
	for _, e := range []error{hub.ErrNotFound, hub.ErrSecret, hub.ErrFull, hub.ErrNotAllowed} {
		if errors.Is(err, e) {
			return true
		}
	}
	return errors.As(err, &invalid) || errors.As(err, &changed)
}
