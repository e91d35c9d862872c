package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

var (
	errEnded      = errors.New("acp: the agent has gone, or cannot be reached any more")
	errEditorGone = errors.New("acp: the editor has gone")
	errCalledOff  = errors.New("acp: the agent has called the question off")
	errTurnOver   = errors.New("acp: the turn was cancelled in the editor")
	errElsewhere  = errors.New("acp: answered elsewhere")
	errRefused    = errors.New("acp: the hub does not take the editor's answer")
)

// hubTime is how long an answer in the editor waits for its question to be stored,
// and a dialog of ours for what the hub knows of the asker. Without a hub the
// editor's answer counts.
const hubTime = 3 * time.Second

// surface is where a person is who answers in an editor.
const surface = "editor"

// race is a question that is asked in the hub and in the editor at once.
type race struct {
	hub    hub.Asker
	ask    *sayso.Ask
	submit func(context.Context) (*hub.Ticket, error) // stores the ask
	editor func(context.Context) inEditor             // asks in the editor
	say    func(text string)                          // tells the person there
	work   *sync.WaitGroup                            // what is under way

	stored chan struct{} // closed when it is known whether the ask is stored
	ticket *hub.Ticket   // when stored is closed; nil: it never got to the hub
}

// inHub is what became of a question there.
type inHub struct {
	ticket *hub.Ticket
	err    error // nil: the ticket is closed, and it is known that we have it
}

// inEditor is what became of a question there.
type inEditor struct {
	reply   raw // as the editor spelled it; nil: it was asked in another way
	outcome *sayso.Outcome
	err     error
	shown   bool // the person had it before them
}

// result is what the asker is told: the reply of the editor as it is, or an outcome.
type result struct {
	reply   raw
	outcome *sayso.Outcome
}

// run asks on both sides. The first answer wins; the other side is withdrawn, and
// the person in the editor is told who was faster.
func (r *race) run(ctx context.Context) (*result, error) {
	here, stop := context.WithCancelCause(ctx)
	defer stop(errElsewhere)
	r.stored = make(chan struct{})
	fromHub, fromEditor := make(chan inHub, 1), make(chan inEditor, 1)
	r.work.Go(func() { fromHub <- r.askHub(ctx, here) })
	r.work.Go(func() { fromEditor <- r.editor(here) })

	var lost error // why one side can no longer answer
	for {
		var e inEditor
		select {
		case h := <-fromHub:
			if h.err == nil {
				stop(errElsewhere)
				if fromEditor != nil && (<-fromEditor).shown && ctx.Err() == nil {
					r.say(sayso.RenderClosed(r.ask, h.ticket.Outcome))
				}
				return &result{outcome: h.ticket.Outcome}, nil
			}
			fromHub, lost = nil, errors.Join(lost, h.err)
		case e = <-fromEditor:
			if e.err == nil && ctx.Err() == nil {
				result, err := r.settle(ctx, e)
				if !errors.Is(err, errRefused) {
					return result, err
				}
				e.err = err // somebody else has to answer
				r.say("Your answer was not taken. “" + sayso.Title(r.ask) + "” is still open: " + elsewhere + ".")
			}
			fromEditor, lost = nil, errors.Join(e.err, lost)
		case <-ctx.Done():
		}
		switch {
		case ctx.Err() != nil: // with which both sides end
			if fromHub != nil {
				if h := <-fromHub; h.err == nil {
					return &result{outcome: h.ticket.Outcome}, nil // the hub was told that the agent has it
				}
			}
			if fromEditor != nil {
				e = <-fromEditor
			}
			return nil, r.over(ctx, e)
		case fromHub == nil && fromEditor == nil:
			return nil, lost
		}
	}
}

// over deals with a question to which the agent takes no reply any more. One that
// the agent or the person called off is withdrawn. Otherwise it stays open, or has
// the answer that the editor gave as its last word: the agent is told later.
func (r *race) over(ctx context.Context, e inEditor) error {
	cause := context.Cause(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hubTime)
	defer cancel()
	t := r.has(ctx)
	switch {
	case t == nil:
	case errors.Is(cause, errCalledOff), errors.Is(cause, errTurnOver):
		r.hub.Withdraw(ctx, t.Handle, sayso.StatusCancelled, strings.TrimPrefix(cause.Error(), "acp: "))
	case e.err == nil && e.outcome != nil:
		r.hub.Relay(ctx, t, inSurface(e.outcome))
	}
	return cause
}

// has returns the ticket of the question if it is stored by the end of ctx.
func (r *race) has(ctx context.Context) *hub.Ticket {
	select {
	case <-r.stored:
		return r.ticket
	case <-ctx.Done():
		return nil
	}
}

// known returns the ask as the hub has it, which knows who asks; or as it is, if
// the hub cannot say soon. It returns nil if the ask is closed already.
func (r *race) known(ctx context.Context) *sayso.Ask {
	ctx, cancel := context.WithTimeout(ctx, hubTime)
	defer cancel()
	switch t := r.has(ctx); {
	case t == nil:
		return r.ask
	case !t.Open():
		return nil
	default:
		return t.Ask
	}
}

// askHub stores the question, and waits for its outcome while the race lasts.
func (r *race) askHub(ctx, race context.Context) inHub {
	t, err := r.submit(ctx)
	if err == nil {
		r.ticket = t
	}
	close(r.stored)
	if err != nil {
		return inHub{err: err}
	}
	t, err = hub.Await(race, r.hub, t)
	return inHub{ticket: t, err: err}
}

// settle has the hub decide whether the editor's answer was the first, and returns
// the result of who was. What the hub has not taken has not been said: while it
// cannot be reached, the agent waits. Only a question that never got to the hub is
// the editor's alone.
func (r *race) settle(ctx context.Context, e inEditor) (*result, error) {
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), hubTime)
	defer cancel()
	c := closed{outcome: e.outcome}
	if t := r.has(soon); t != nil {
		c = r.close(ctx, t, e.outcome)
	} else if soon.Err() != nil {
		r.work.Go(func() { // it may get there yet
			if t := r.has(context.WithoutCancel(ctx)); t != nil {
				r.close(ctx, t, e.outcome)
			}
		})
	}
	switch {
	case c.err != nil:
		return nil, c.err
	case !c.told && errors.Is(context.Cause(ctx), errEnded):
		return nil, errEnded
	case c.faster:
		r.say(sayso.RenderClosed(r.ask, c.outcome))
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

// close closes a question that was answered in the editor. A nil outcome is one that
// only the agent understands. If the agent has gone meanwhile, the outcome is left
// for it.
func (r *race) close(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) closed {
	anyway := context.WithoutCancel(ctx) // what the person said is not lost with the agent
	c := closed{outcome: o}
	for lost := 0; ; {
		now, err := r.handOn(anyway, t, o)
		var first *hub.ClosedError
		switch {
		case err == nil && o != nil:
			c.outcome = now.Outcome
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
	if ctx.Err() != nil {
		return c
	}
	has, err := r.hub.Consume(anyway, t.Handle)
	if c.told = err == nil; c.told && c.faster {
		c.outcome = has.Outcome // it may have been amended
	}
	return c
}

// handOn tells the hub what was said in the editor, or only that something was.
func (r *race) handOn(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	if o == nil {
		return r.hub.Withdraw(ctx, t.Handle, sayso.StatusSuperseded, "answered in the editor")
	}
	return r.hub.Relay(ctx, t, inSurface(o))
}

// inSurface says where an outcome was given.
func inSurface(o *sayso.Outcome) *sayso.Outcome {
	out := *o
	out.By.Surface = surface
	return &out
}
