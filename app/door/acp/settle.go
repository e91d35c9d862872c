package acp

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// settle has the hub decide whether the editor's answer was the first, and returns
// the result of who was. What the hub has not taken has not been said: while it
// cannot be reached, the agent waits. Only a question that never got to the hub is
// the editor's alone.
func (r *race) settle(ctx context.Context, e inEditor) (*result, error) {
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), hubTime)
	defer cancel()
	c := closed{outcome: e.outcome}
	if t := r.has(soon); t != nil {
		c = r.closeSoon(ctx, t, e)
	} else if soon.Err() != nil {
		r.work.Go(func() { // it may get there yet
			if t := r.has(context.WithoutCancel(ctx)); t != nil {
				r.close(ctx, t, e, &claim{})
			}
		})
	}
	switch {
	case c.err != nil:
		return nil, c.err
	case !c.told && errors.Is(context.Cause(ctx), errEnded):
		return nil, errEnded
	case c.faster:
		r.say(r.closedElsewhere(c.outcome))
		return &result{outcome: c.outcome}, nil
	}
	return &result{reply: e.reply, outcome: c.outcome}, nil
}

// closed is what became in the hub of a question that was answered in the editor.
type closed struct {
	outcome *sayso.Outcome // that counts
	faster  bool           // somebody else's
	told    bool           // the hub was told that the agent has the outcome: it must have it
	err     error          // the hub does not take the editor's answer: [errRefused]
}

// claim is taken by who says what the agent is told: the hub, or the editor alone.
type claim struct{ taken atomic.Bool }

func (c *claim) take() bool { return c.taken.CompareAndSwap(false, true) }

// closeSoon closes a question that was answered in the editor. An approval does not
// wait for a hub that is away: the editor has decided it, and the hub is told later.
func (r *race) closeSoon(ctx context.Context, t *hub.Ticket, e inEditor) closed {
	var hub claim
	if r.approval == nil {
		return r.close(ctx, t, e, &hub)
	}
	done := make(chan closed, 1)
	r.work.Go(func() { done <- r.close(ctx, t, e, &hub) })
	select {
	case c := <-done:
		return c
	case <-time.After(hubTime):
		if hub.take() {
			return closed{outcome: e.outcome}
		}
		return <-done
	}
}

// close closes a question that was answered in the editor. A nil outcome is one that
// only the agent understands. If the agent has gone meanwhile, the outcome is left
// for it. Unless it can take the claim, the agent was told what the editor said.
func (r *race) close(ctx context.Context, t *hub.Ticket, e inEditor, hubs *claim) closed {
	anyway := context.WithoutCancel(ctx) // what the person said is not lost with the agent
	o := e.outcome
	c := closed{outcome: o}
	recorded := false
	for lost := 0; ; {
		recorded = hubs.taken.Load()
		now, err := r.handOn(anyway, t, e, recorded)
		var first *hub.ClosedError
		switch {
		case err == nil && o != nil:
			c.outcome = now.Outcome
		case errors.As(err, &first) && !r.counts(first.Ticket):
			if hubs.take(); !recorded {
				r.handOn(anyway, t, e, true)
			}
			return c
		case errors.As(err, &first):
			c.faster, c.outcome = true, first.Ticket.Outcome
		case errors.Is(err, sayso.ErrUnreachable):
			select {
			case <-time.After(time.Second):
				continue
			case <-ctx.Done():
				return c
			}
		case errors.Is(err, hub.ErrNotFound) && lost < 3: // a hub that kept it in memory has begun anew
			if again, err := r.submit(anyway); err == nil {
				t = again
			}
			lost++
			continue
		case err != nil:
			c.err = fmt.Errorf("%w: %w", errRefused, err)
			return c
		}
		break
	}
	if !hubs.take() && c.faster {
		if !recorded {
			r.handOn(anyway, t, e, true)
		}
		r.say(r.title() + " was decided elsewhere too. While the hub was away, the agent has gone by what you decided here.")
		return c
	}
	if ctx.Err() != nil {
		return c
	}
	has, err := r.hub.Consume(anyway, t.Handle)
	if c.told = err == nil; c.told && c.faster {
		c.outcome = has.Outcome // it may have been amended
	}
	return c
}

// handOn tells the hub what was said in the editor, or only that something was. If
// the agent goes by it already, the hub keeps it beside another decision.
func (r *race) handOn(ctx context.Context, t *hub.Ticket, e inEditor, done bool) (*hub.Ticket, error) {
	switch {
	case e.outcome == nil:
		return r.hub.Withdraw(ctx, t.Handle, sayso.StatusSuperseded, e.note)
	case done && t.Ask.Origin.Host != "":
		return r.hub.Relay(ctx, t, inSurface(e.outcome, t.Ask.Origin.Host))
	}
	return r.hub.Relay(ctx, t, inSurface(e.outcome, surface))
}

// inSurface says where an outcome was given.
func inSurface(o *sayso.Outcome, where string) *sayso.Outcome {
	out := *o
	out.By.Surface = where
	return &out
}
