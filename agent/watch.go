package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
	"github.com/saysohq/sayso/hub"
)

// watch wakes the conversations whose asks are answered, for as long as the host
// lives. There is one of it, however many sleep.
func (h *Host) watch() {
	pause := h.o.RetryDelay
	for h.ctx.Err() == nil {
		ready, err := h.watchAsks(h.ctx)
		if h.ctx.Err() != nil {
			return
		}
		h.warn("watch the asks", err)
		if ready {
			pause = h.o.RetryDelay
		}
		select {
		case <-h.ctx.Done():
		case <-time.After(pause/2 + rand.N(pause)): // not all hosts at once
		}
		pause = min(2*pause, 30*h.o.RetryDelay)
	}
}

// watchAsks wakes conversations until ctx ends or it can watch no more, and reports
// whether it ever could. What is answered while it watches is heard of and wakes one
// conversation. Whenever something may have been missed, and when it begins, all
// asks are looked at once, and whoever has to be resumed waits in the backlog.
func (h *Host) watchAsks(ctx context.Context) (ready bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)
	wg.Go(func() { // it takes longer than a watcher may
		for {
			select {
			case <-ctx.Done():
				return
			case <-h.look:
			}
			if err := h.lookAround(ctx); err != nil {
				h.lookAgain()
				cancel(err)
				return
			}
		}
	})
	err = h.o.Asks.Watch(ctx, nil, func(c hub.Change) {
		switch {
		case c.Ticket != nil && untaken(c.Ticket):
			h.post(c.Ticket.Ask.Origin.Conversation, mail{answered: c.Ticket.Ask.ID})
		case c.Ready:
			ready = true
			h.lookAgain()
		}
	})
	return ready, errors.Join(err, context.Cause(ctx))
}

func (h *Host) lookAgain() {
	select {
	case h.look <- struct{}{}:
	default:
	}
}

// untaken reports whether an ask has an outcome that nobody has taken.
func untaken(t *hub.Ticket) bool {
	return !t.Open() && t.Consumed.IsZero() && t.Ask.Origin.Conversation != ""
}

// lookAround wakes every conversation whose ask has an outcome that was not taken,
// and every one that sleeps although the hub does not have its ask open: it was not
// put, or its outcome was taken and not saved.
func (h *Host) lookAround(ctx context.Context) error {
	asleep, err := h.sleepers(ctx)
	if err != nil {
		return err
	}
	err = hub.Each(ctx, h.o.Asks, &hub.Filter{Status: hub.AnyStatus, Unconsumed: true}, func(t *hub.Ticket) bool {
		switch conversation := t.Ask.Origin.Conversation; {
		case t.Open() && asleep[conversation] == t.Ask.ID:
			delete(asleep, conversation)
		case untaken(t):
			h.resume(conversation, mail{answered: t.Ask.ID})
		}
		return true
	})
	if err != nil {
		return err
	}
	for conversation := range asleep {
		h.resume(conversation, mail{})
	}
	return nil
}

// sleepers returns the conversations that wait for their person, with the ask that
// they wait for, as far as their last record says so: one that an older version
// left says only that nobody works on it, and was true when it was written.
func (h *Host) sleepers(ctx context.Context) (map[string]string, error) {
	all, name := map[string]string{}, conversation.Name(conversation.AwaitingUserResponse{})
	var failed error
	err := h.o.Journal.Heads(ctx, func(head journal.Head) bool {
		if head.Status != name || head.Conversation != head.ID || head.State == nil || !head.Owner.IsZero() {
			return true
		}
		var s conversation.State
		if s, failed = conversation.UnmarshalState(head.State); failed != nil {
			return false
		}
		for _, a := range openAsks(s) {
			all[head.ID] = a.ID
		}
		return true
	})
	return all, errors.Join(err, failed)
}
