package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Permissions is what every editor takes. [*sdk.AgentSideConnection] is one.
type Permissions interface {
	RequestPermission(ctx context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error)
}

// Caller makes any request of an editor. [Over] makes one of a connection.
type Caller interface {
	Call(ctx context.Context, method string, params any) (json.RawMessage, error)
}

// Notices is how an editor is told what became of a question.
// [*sdk.AgentSideConnection] is one.
type Notices interface {
	SessionUpdate(ctx context.Context, n sdk.SessionNotification) error
}

// Resolver asks in the editor of a Go agent, and in a hub at the same time, so that
// other surfaces can answer, too. The first answer wins. It asks with a form if Forms
// is set, and else with permission requests.
//
//	resolver := &acp.Resolver{Hub: hub, Permissions: conn}
//
// The conversation of an ask is the session, its tool call the tool call. When ctx
// ends, the editor's dialog is withdrawn, and the ask stays open in the hub.
type Resolver struct {
	// Hub is asked as well. It knows who asks, decides who was first, and has what
	// an editor is not shown: long asks, and those that want to be sure of the
	// person. Default: the editor alone is asked.
	Hub hub.Asker

	Permissions Permissions

	// Forms makes the requests for forms. Set it only if the editor advertises
	// elicitation.form. Default: none.
	Forms Caller

	// Notices tells the person in the editor who was faster, and what waits
	// elsewhere. Default: Permissions, if it can, and else nothing is told.
	Notices Notices

	// By is who answers there, if there is no hub to say it. Default: the editor, a
	// program.
	By sayso.Responder
}

var _ sayso.Resolver = (*Resolver)(nil)

// Ask has the ask answered. What an editor is not shown waits in the hub alone;
// without a hub the error wraps [sayso.ErrUnreachable].
func (r *Resolver) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	ask, where := r.both, "in the hub or the editor"
	if r.Hub == nil {
		ask, where = r.alone, "in the editor"
	}
	o, err := ask(ctx, a)
	switch {
	case err == nil:
		return o, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%w: %s: %w", sayso.ErrUnreachable, where, err)
}

// both asks in the hub and in the editor.
func (r *Resolver) both(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	var work sync.WaitGroup
	defer work.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	race := &race{
		hub: r.Hub, ask: a, work: &work,
		submit: func(ctx context.Context) (*hub.Ticket, error) { return r.Hub.Submit(ctx, a) },
		say:    func(text string) { r.say(ctx, a.Origin.Conversation, text) },
	}
	race.editor = func(ctx context.Context) inEditor {
		d, err := r.dialog()
		if err != nil {
			return inEditor{err: err}
		}
		return race.askByDialog(ctx, d)
	}
	won, err := race.run(ctx)
	if err != nil {
		return nil, err
	}
	return won.outcome, nil
}

// alone asks in the editor alone.
func (r *Resolver) alone(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	if why := unfit(a); why != "" {
		return nil, fmt.Errorf("%w: it %s", errUnfit, why)
	}
	d, err := r.dialog()
	if err != nil {
		return nil, err
	}
	o, err := d.ask(ctx, a)
	if err != nil {
		return nil, err
	}
	if o.By = r.By; o.By == (sayso.Responder{}) {
		o.By = sayso.Responder{Kind: sayso.ByProgram, Surface: surface}
	}
	return o, nil
}

func (r *Resolver) dialog() (*dialog, error) {
	switch {
	case r.Forms != nil:
		return &dialog{form: func(ctx context.Context, params any) (raw, error) {
			return r.Forms.Call(ctx, "elicitation/create", params)
		}}, nil
	case r.Permissions != nil:
		return &dialog{permission: func(ctx context.Context, params sdk.RequestPermissionRequest) (raw, error) {
			reply, err := r.Permissions.RequestPermission(ctx, params)
			if err != nil {
				return nil, err
			}
			return json.Marshal(reply)
		}}, nil
	}
	return nil, errors.New("acp: there is no editor")
}

// say tells the person in the editor something. That it cannot be told changes
// nothing about the question.
func (r *Resolver) say(ctx context.Context, session, text string) {
	to := r.Notices
	if to == nil {
		to, _ = r.Permissions.(Notices)
	}
	if to != nil && session != "" {
		_ = to.SessionUpdate(ctx, notice(session, text))
	}
}

// Over makes requests over a connection of the SDK, whose own forms lose the
// session.
func Over(c *sdk.Connection) Caller { return over{c} }

type over struct{ conn *sdk.Connection }

func (o over) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return sdk.SendRequest[json.RawMessage](o.conn, ctx, method, params)
}
