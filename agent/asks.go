package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Asks is where the asks of conversations wait for people. [HubAsks] is the hub in
// this process, [ClientAsks] one elsewhere. All methods may be called from several goroutines and return when
// ctx ends; the errors are those of package hub.
type Asks interface {
	// Put stores an ask and reports whether it has an outcome already. The same
	// ask put again is the same.
	Put(ctx context.Context, a *sayso.Ask) (closed bool, err error)

	// Take returns the outcome of an ask, which from then on cannot be undone; nil
	// while it is open. Taking it again is the same.
	Take(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error)

	// Withdraw closes an ask that is open. Of the ask, only the id, the
	// conversation and the people it is to are set.
	Withdraw(ctx context.Context, a *sayso.Ask, o *sayso.Outcome) error

	// Watch calls fn, which does not block, for every ask that is closed and was
	// not taken, those that were so before among them, until ctx ends or it can
	// watch no more. It may call fn again for the same one.
	Watch(ctx context.Context, fn func(conversation, ask string)) error
}

// HubAsks are the asks of a tenant in a hub of this process.
func HubAsks(h *hub.Hub, tenant string) Asks { return &hubAsks{h, tenant} }

type hubAsks struct {
	hub    *hub.Hub
	tenant string
}

func (h *hubAsks) Put(ctx context.Context, a *sayso.Ask) (bool, error) {
	t, err := h.hub.Submit(ctx, h.tenant, a)
	return err == nil && !t.Open(), err
}

func (h *hubAsks) Take(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	t, err := h.hub.Get(ctx, hub.AddressOf(h.tenant, a))
	if err != nil || t.Open() {
		return nil, err
	}
	t, err = h.hub.Consume(ctx, t)
	if errors.Is(err, hub.ErrOpen) { // undone just now
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return t.Outcome, nil
}

func (h *hubAsks) Withdraw(ctx context.Context, a *sayso.Ask, o *sayso.Outcome) error {
	t, err := h.hub.Get(ctx, hub.AddressOf(h.tenant, a))
	if err != nil || !t.Open() {
		return err
	}
	_, err = h.hub.Close(ctx, t, o, &hub.CloseOptions{Consumed: true})
	var closed *hub.ClosedError
	if errors.As(err, &closed) { // somebody was faster, and it does not matter
		return nil
	}
	return err
}

func (h *hubAsks) Watch(ctx context.Context, fn func(conversation, ask string)) error {
	return watchAsks(ctx, fn, func(ctx context.Context, change func(t *hub.Ticket, reset bool)) error {
		return h.hub.Watch(ctx, h.tenant, &hub.Filter{Status: hub.AnyStatus}, func(c hub.Change) { change(c.Ticket, c.Reset) })
	}, func(ctx context.Context, f *hub.Filter) ([]*hub.Ticket, string, error) {
		page, err := h.hub.List(ctx, h.tenant, f)
		if err != nil {
			return nil, "", err
		}
		return page.Tickets, page.Next, nil
	})
}

// watchAsks tells fn what a watch of a hub says, and lists when it says so.
func watchAsks(
	ctx context.Context, fn func(conversation, ask string),
	watch func(context.Context, func(t *hub.Ticket, reset bool)) error,
	page func(context.Context, *hub.Filter) (tickets []*hub.Ticket, next string, err error),
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)
	list := make(chan struct{}, 1)
	wg.Go(func() { // listing takes longer than a watcher may
		for {
			select {
			case <-ctx.Done():
				return
			case <-list:
			}
			f := &hub.Filter{Status: hub.AnyStatus, Limit: 1000}
			for more := true; more; more = f.Cursor != "" {
				tickets, next, err := page(ctx, f)
				if err != nil {
					cancel(err)
					return
				}
				for _, t := range tickets {
					tell(t, fn)
				}
				f.Cursor = next
			}
		}
	})
	err := watch(ctx, func(t *hub.Ticket, reset bool) {
		if t != nil {
			tell(t, fn)
		}
		if reset {
			select {
			case list <- struct{}{}:
			default:
			}
		}
	})
	return errors.Join(err, context.Cause(ctx))
}

func tell(t *hub.Ticket, fn func(conversation, ask string)) {
	if !t.Open() && t.Consumed.IsZero() && t.Ask.Origin.Conversation != "" {
		fn(t.Ask.Origin.Conversation, t.Ask.ID)
	}
}
