package acp

import (
	"context"
	"errors"
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

	// approval is set if it is about something that the agent wants to do. Then the
	// editor decides alone while the hub is away, nothing is left for later, and a
	// decision of the hub counts for exactly what it was shown.
	approval *question

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
	note    string // what was said, if there is no outcome for it
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
			if h.err = r.decided(h); h.err == nil {
				stop(errElsewhere)
				if fromEditor != nil && (<-fromEditor).shown && ctx.Err() == nil {
					r.say(r.closedElsewhere(h.ticket.Outcome))
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
				r.say("Your answer was not taken. " + r.title() + " is still open: " + elsewhere + ".")
			}
			fromEditor, lost = nil, errors.Join(e.err, lost)
		case <-ctx.Done():
		}
		switch {
		case ctx.Err() != nil: // with which both sides end
			if fromHub != nil {
				if h := <-fromHub; r.decided(h) == nil {
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
	case r.approval != nil && (e.err != nil || e.outcome == nil), errors.Is(cause, errCalledOff), errors.Is(cause, errTurnOver):
		r.hub.Withdraw(ctx, t.Handle, sayso.StatusCancelled, strings.TrimPrefix(cause.Error(), "acp: "))
	case e.err == nil && e.outcome != nil:
		r.hub.Relay(ctx, t, inSurface(e.outcome, surface))
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
	// Not with ctx alone: at its end it would not be known whether the ask is stored.
	storing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(hubTime, cancel) })()
	t, err := r.submit(storing)
	if err == nil {
		r.ticket = t
	}
	close(r.stored)
	if err != nil {
		return inHub{err: err}
	}
	h := r.hub
	if r.approval != nil {
		h = &sameCall{Asker: r.hub, race: r}
	}
	t, err = hub.Await(race, h, t)
	return inHub{ticket: t, err: err}
}
