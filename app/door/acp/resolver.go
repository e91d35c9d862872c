package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/saysohq/sayso"
)

// Permissions is what every editor takes. [*sdk.AgentSideConnection] is one.
type Permissions interface {
	RequestPermission(ctx context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error)
}

// Caller makes any request of an editor. [Over] makes one of a connection.
type Caller interface {
	Call(ctx context.Context, method string, params any) (json.RawMessage, error)
}

// Resolver asks in the editor of a Go agent. It asks with a form if Forms is set,
// and else with permission requests. Race it with a hub, so that other surfaces can
// answer, too:
//
//	resolver := sayso.Race(hub, &acp.Resolver{Permissions: conn})
//
// The conversation of an ask is the session, its tool call the tool call. When ctx
// ends, the editor's dialog is withdrawn.
type Resolver struct {
	Permissions Permissions

	// Forms makes the requests for forms. Set it only if the editor advertises
	// elicitation.form. Default: none.
	Forms Caller

	By sayso.Responder // who answers there; default: a person on the surface "editor"
}

var _ sayso.Resolver = (*Resolver)(nil)

// Ask has the ask answered in the editor. An ask for a secret is not shown: the
// error wraps [sayso.ErrUnreachable].
func (r *Resolver) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	for i := range a.Questions {
		if a.Questions[i].Secret {
			return nil, fmt.Errorf("%w: a secret is not asked for in an editor", sayso.ErrUnreachable)
		}
	}
	o, err := r.ask(ctx, a)
	switch {
	case err == nil:
		if o.By = r.By; o.By == (sayso.Responder{}) {
			o.By = sayso.Responder{Kind: sayso.ByProgram, Surface: "editor"}
		}
		return o, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%w: in the editor: %w", sayso.ErrUnreachable, err)
}

func (r *Resolver) ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	if r.Forms != nil {
		f, params := formFor(a)
		reply, err := r.Forms.Call(ctx, "elicitation/create", params)
		if err != nil {
			return nil, err
		}
		return f.read(reply)
	}
	if r.Permissions == nil {
		return nil, errors.New("acp: there is no editor")
	}
	return askByPermission(a, func(i int) (raw, error) {
		reply, err := r.Permissions.RequestPermission(ctx, permissionFor(a, i))
		if err != nil {
			return nil, err
		}
		return json.Marshal(reply)
	})
}

// Over makes requests over a connection of the SDK, whose own forms lose the
// session.
func Over(c *sdk.Connection) Caller { return over{c} }

type over struct{ conn *sdk.Connection }

func (o over) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return sdk.SendRequest[json.RawMessage](o.conn, ctx, method, params)
}
