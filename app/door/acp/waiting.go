package acp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/saysohq/sayso"
)

// asked is a question of the agent that waits for its answer.
type asked struct {
	session string
	ask     string // the id of the ask, of an approval
	end     context.CancelCauseFunc
	work    sync.WaitGroup // the two sides
}

// begin has a question answered, beside everything else.
func (p *proxy) begin(ctx context.Context, q *question, m *message) {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &asked{session: q.ask.Origin.Conversation, end: cancel}
	q.ask.Origin = p.origin(q.ask.Origin)
	if q.approval() {
		own := *q.ask
		own.Origin.ToolCall += "\x00" + p.run + string(m.ID)
		q.ask.ID = own.DeriveID()
		a.ask = q.ask.ID
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		cancel(nil)
		return
	}
	p.asked[string(m.ID)] = a
	delete(p.quiet, a.session)
	p.work.Go(func() {
		defer cancel(nil)
		defer a.work.Wait()
		result, err := p.race(ctx, a, q, m)
		p.mu.Lock()
		delete(p.asked, string(m.ID))
		p.mu.Unlock()
		p.answer(m.ID, q, result, err)
	})
}

// answer gives the agent its reply.
func (p *proxy) answer(id raw, q *question, result any, err error) {
	var refused *Error
	switch {
	case err == nil:
		p.agent.reply(id, result)
	case errors.Is(err, errEnded): // nobody is there to be told
	case errors.Is(err, errTurnOver) && q.approval():
		p.agent.reply(id, dismissed())
	case errors.Is(err, errTurnOver):
		p.agent.reply(id, q.reply(&sayso.Outcome{Status: sayso.StatusCancelled}))
	case errors.Is(err, errCalledOff):
		p.agent.refuse(id, &Error{Code: codeCancelled, Message: "the request was cancelled"})
	case errors.As(err, &refused):
		p.agent.refuse(id, refused)
	case q.approval():
		p.agent.reply(id, q.deny())
	default:
		p.agent.refuse(id, &Error{Code: codeInternal, Message: "nobody could be asked: " + err.Error()})
	}
}

// refusePermission denies a permission that nobody can be asked for: the editor is
// left out, and the hub cannot carry the request.
func (p *proxy) refusePermission(m *message) error {
	var r asking
	json.Unmarshal(m.Params, &r) // what cannot be read has no option to deny it with
	return p.agent.reply(m.ID, r.denial())
}

// calledOff handles the agent's $/cancel_request for a question.
func (p *proxy) calledOff(m *message) bool {
	var c struct {
		ID raw `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &c) != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.asked[string(c.ID)]
	if a != nil {
		a.end(errCalledOff)
	}
	return a != nil
}

// cancelTurn handles the editor's session/cancel: what the turn asked is over.
func (p *proxy) cancelTurn(m *message) {
	var c struct {
		Session string `json:"sessionId"`
	}
	if json.Unmarshal(m.Params, &c) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.asked {
		if a.session == c.Session {
			a.end(errTurnOver)
		}
	}
}
