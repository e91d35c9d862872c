package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

// hubTime is how long an answer in the editor waits for its question to be stored.
// Without a hub the editor's answer counts.
const hubTime = 3 * time.Second

// inHub is what became of a question there.
type inHub struct {
	ticket *hub.Ticket // nil: it never got there
	err    error       // nil: the ticket is closed, and it is known that we have it
}

// inEditor is what became of a question there.
type inEditor struct {
	reply   raw // as the editor spelled it; nil: it was asked in another way
	outcome *sayso.Outcome
	err     error
}

// race asks in the hub and in the editor. It returns the result for the agent.
func (p *proxy) race(ctx context.Context, a *asked, q *question, m *message) (any, error) {
	here, stop := context.WithCancelCause(ctx)
	defer stop(errElsewhere)
	stored := make(chan *hub.Ticket, 1)
	fromHub, fromEditor := make(chan inHub, 1), make(chan inEditor, 1)
	a.work.Go(func() { fromHub <- p.askHub(ctx, here, q.ask, stored) })
	a.work.Go(func() { fromEditor <- p.askEditor(here, q, m) })

	var lost error // why one side can no longer answer
	for {
		var e inEditor
		select {
		case h := <-fromHub:
			if h.err == nil {
				return q.reply(h.ticket.Outcome), nil
			}
			fromHub, lost = nil, errors.Join(lost, h.err)
		case e = <-fromEditor:
			if e.err == nil && ctx.Err() == nil {
				result, err := p.settle(ctx, a, q, e, stored)
				if !errors.Is(err, errRefused) {
					return result, err
				}
				e.err = err // somebody else has to answer
			}
			fromEditor, lost = nil, errors.Join(e.err, lost)
		case <-ctx.Done():
		}
		switch {
		case ctx.Err() != nil: // with which both sides end
			if fromHub != nil {
				if h := <-fromHub; h.err == nil {
					return q.reply(h.ticket.Outcome), nil // the hub was told that the agent has it
				}
			}
			if fromEditor != nil {
				e = <-fromEditor
			}
			return nil, p.over(ctx, e, stored)
		case fromHub == nil && fromEditor == nil:
			return nil, lost
		}
	}
}

// over deals with a question to which the agent takes no reply any more. One that
// the agent or the person called off is withdrawn. Otherwise it stays open, or has
// the answer that the editor gave as its last word: the agent is told later.
func (p *proxy) over(ctx context.Context, e inEditor, stored <-chan *hub.Ticket) error {
	cause := context.Cause(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hubTime)
	defer cancel()
	var t *hub.Ticket
	select {
	case t = <-stored:
	case <-ctx.Done():
	}
	switch {
	case t == nil:
	case errors.Is(cause, errCalledOff), errors.Is(cause, errTurnOver):
		p.hub.Withdraw(ctx, t.Handle, sayso.StatusCancelled, strings.TrimPrefix(cause.Error(), "acp: "))
	case e.err == nil && e.outcome != nil:
		p.hub.Relay(ctx, t, e.outcome)
	}
	return cause
}

// askHub stores the question, and waits for its outcome while the race lasts.
func (p *proxy) askHub(ctx, race context.Context, a *sayso.Ask, stored chan<- *hub.Ticket) inHub {
	t, err := p.submit(ctx, a)
	stored <- t
	if err != nil {
		return inHub{err: err}
	}
	t, err = hub.Await(race, p.hub, t)
	return inHub{ticket: t, err: err}
}

// submit stores the ask. The same questions of the same tool call are the same ask;
// without a tool call they are until their answer was had.
func (p *proxy) submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	if a.Origin.ToolCall == "" {
		return hub.SubmitSame(ctx, p.hub, "acp", a)
	}
	a.ID = a.DeriveID()
	return p.hub.Submit(ctx, a)
}

// askEditor asks in the editor: with the agent's own request, or with permission
// requests if that is a form and the editor takes none.
func (p *proxy) askEditor(ctx context.Context, q *question, m *message) inEditor {
	p.mu.Lock()
	asIs := p.forms || !q.form
	p.mu.Unlock()
	switch {
	case p.opts.NoEditor:
		return inEditor{err: errors.New("acp: the editor is left out")}
	case asIs:
		reply, err := p.call(ctx, m.Method, m.Params)
		if err != nil {
			return inEditor{err: err}
		}
		o, err := q.read(reply)
		if errors.Is(err, errNoWords) {
			return inEditor{err: err} // they can be said elsewhere
		}
		if err != nil {
			o = nil // the agent may understand it
		}
		return inEditor{reply: reply, outcome: o}
	}
	o, err := askByPermission(q.ask, func(i int) (raw, error) {
		return p.call(ctx, "session/request_permission", permissionFor(q.ask, i))
	})
	return inEditor{outcome: o, err: err}
}

// askByPermission asks question by question.
func askByPermission(a *sayso.Ask, ask func(i int) (raw, error)) (*sayso.Outcome, error) {
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		reply, err := ask(i)
		if err != nil {
			return nil, err
		}
		one, err := readPicked(&a.Questions[i], reply)
		if err != nil || one.Status != sayso.StatusAnswered {
			return one, err // of all or none
		}
		o.Answers = append(o.Answers, one.Answers...)
	}
	return o, nil
}

// settle has the hub decide whether the editor's answer was the first, and returns
// the result of who was. What the hub has not taken has not been said: while it
// cannot be reached, the agent waits. Only a question that never got to the hub is
// the editor's alone.
func (p *proxy) settle(ctx context.Context, a *asked, q *question, e inEditor, stored <-chan *hub.Ticket) (any, error) {
	var t *hub.Ticket
	select {
	case t = <-stored:
	case <-time.After(hubTime):
		a.work.Go(func() { // it may get there yet
			if t := <-stored; t != nil {
				p.close(ctx, t, e.outcome)
			}
		})
	}
	var c closed
	if t != nil {
		c = p.close(ctx, t, e.outcome)
	}
	switch {
	case c.err != nil:
		return nil, c.err
	case !c.told && errors.Is(context.Cause(ctx), errEnded):
		return nil, errEnded
	case c.faster != nil:
		return q.reply(c.faster), nil
	case e.reply == nil:
		return q.reply(e.outcome), nil
	}
	return e.reply, nil
}

// closed is what became in the hub of a question that was answered in the editor.
type closed struct {
	faster *sayso.Outcome // an outcome that was faster
	told   bool           // the hub was told that the agent has the outcome: it must have it
	err    error          // the hub does not take the editor's answer: [errRefused]
}

// close closes a question that was answered in the editor. A nil outcome is one that
// only the agent understands. If the agent has gone meanwhile, the outcome is left
// for it.
func (p *proxy) close(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) (c closed) {
	anyway := context.WithoutCancel(ctx) // what the person said is not lost with the agent
	for {
		var err error
		if o != nil {
			_, err = p.hub.Relay(anyway, t, o)
		} else {
			_, err = p.hub.Withdraw(anyway, t.Handle, sayso.StatusSuperseded, "answered in the editor")
		}
		var first *hub.ClosedError
		switch {
		case errors.As(err, &first):
			c.faster = first.Ticket.Outcome
		case errors.Is(err, sayso.ErrUnreachable):
			select {
			case <-time.After(time.Second):
				continue
			case <-ctx.Done():
				return c
			}
		case err != nil:
			c.err = fmt.Errorf("%w: %w", errRefused, err)
			return c
		}
		break
	}
	if ctx.Err() != nil {
		return c
	}
	has, err := p.hub.Consume(anyway, t.Handle)
	if c.told = err == nil; c.told && c.faster != nil {
		c.faster = has.Outcome // it may have been amended
	}
	return c
}
