package acp

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/saysohq/sayso/hub"
)

// race asks in the hub and in the editor. It returns the result for the agent.
func (p *proxy) race(ctx context.Context, a *asked, q *question, m *message) (any, error) {
	r := &race{
		hub: p.hub, ask: q.ask, work: &a.work,
		submit: func(ctx context.Context) (*hub.Ticket, error) { return p.submit(ctx, q) },
		say:    func(text string) { p.say(a.session, text) },
	}
	if q.approval() {
		r.approval = q
	}
	r.editor = func(ctx context.Context) inEditor { return p.askEditor(ctx, r, q, m) }
	won, err := r.run(ctx)
	switch {
	case err != nil:
		return nil, err
	case won.reply != nil:
		return won.reply, nil
	}
	return q.reply(won.outcome), nil
}

// submit stores the ask. The same questions of the same tool call are the same ask;
// without a tool call they are until their answer was had. Every request for
// permission is one of its own, see [proxy.begin]: what was allowed once is not
// allowed again.
func (p *proxy) submit(ctx context.Context, q *question) (*hub.Ticket, error) {
	if q.approval() {
		return p.hub.Submit(ctx, q.ask)
	}
	if q.ask.Origin.ToolCall == "" {
		return hub.SubmitSame(ctx, p.hub, "acp", q.ask)
	}
	a := *q.ask
	a.ID = a.DeriveID()
	return p.hub.Submit(ctx, &a)
}

// askEditor asks in the editor: with the agent's own request, or with permission
// requests if that is a form and the editor takes none.
func (p *proxy) askEditor(ctx context.Context, r *race, q *question, m *message) inEditor {
	p.mu.Lock()
	asIs := p.forms || !q.form
	p.mu.Unlock()
	switch {
	case p.opts.NoEditor:
		return inEditor{err: errors.New("acp: the editor is left out")}
	case asIs:
		reply, err := p.asItIs(ctx, q, m)
		if err != nil {
			return inEditor{err: err, shown: true}
		}
		o, err := q.read(reply)
		if errors.Is(err, errNoWords) {
			return inEditor{err: err, shown: true} // they can be said elsewhere
		}
		e := inEditor{reply: reply, outcome: o, shown: true}
		if err != nil {
			e.outcome, e.note = nil, "answered in the editor" // the agent may understand it
			if q.approval() {
				e.note = q.note(reply)
			}
		}
		return e
	}
	return r.askByDialog(ctx, &dialog{permission: func(ctx context.Context, params sdk.RequestPermissionRequest) (raw, error) {
		return p.call(ctx, "session/request_permission", params)
	}})
}

// say tells the person in the editor something.
func (p *proxy) say(session, text string) {
	if session != "" {
		p.editor.notify("session/update", notice(session, text))
	}
}

// ourID marks our requests to the editor among those of the agent.
const ourID = "sayso-"

// asItIs asks the editor with the agent's own request. One for permission is handed
// on byte for byte.
func (p *proxy) asItIs(ctx context.Context, q *question, m *message) (raw, error) {
	if q.approval() {
		return p.ask(ctx, m.ID, func() error { return p.editor.pass(q.line) })
	}
	return p.call(ctx, m.Method, m.Params)
}

// call asks the editor with a request of our own.
func (p *proxy) call(ctx context.Context, method string, params any) (raw, error) {
	p.mu.Lock()
	p.last++
	id := fmt.Sprint(ourID, p.last)
	p.mu.Unlock()
	return p.ask(ctx, quoted(id), func() error { return p.editor.request(id, method, params) })
}

// ask sends a request to the editor and returns the result. When ctx ends, the editor
// is told that it need not reply.
func (p *proxy) ask(ctx context.Context, id raw, send func() error) (raw, error) {
	reply, key := make(chan *message, 1), idKey(id)
	p.mu.Lock()
	if p.calls == nil {
		p.mu.Unlock()
		return nil, errEditorGone
	}
	p.calls[key] = reply
	p.mu.Unlock()
	if err := send(); err != nil {
		return nil, err
	}
	replied := func(m *message) (raw, error) {
		switch {
		case m == nil:
			return nil, errEditorGone
		case m.Error != nil:
			return nil, m.Error
		}
		return m.Result, nil
	}
	select {
	case m := <-reply:
		return replied(m)
	case <-ctx.Done():
		select {
		case m := <-reply: // its last word
			return replied(m)
		default:
		}
		p.mu.Lock()
		there := p.calls != nil
		if there {
			p.calls[key] = nil // what comes now is nobody's
		}
		p.mu.Unlock()
		if there && context.Cause(ctx) != errEnded {
			p.editor.notify("$/cancel_request", map[string]raw{"requestId": id})
		}
		return nil, context.Cause(ctx)
	}
}

// returned takes a reply to a request that we have sent or handed on.
func (p *proxy) returned(m *message) bool {
	key := idKey(m.ID)
	p.mu.Lock()
	defer p.mu.Unlock()
	reply, ours := p.calls[key]
	delete(p.calls, key)
	if reply != nil {
		reply <- m
	}
	return ours
}

// hangUp ends our requests when the editor has gone.
func (p *proxy) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, reply := range p.calls {
		if reply != nil {
			reply <- nil
		}
	}
	p.calls = nil
}
