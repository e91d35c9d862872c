package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// maxRounds is how many forms one call has: another one follows if what came back
// does not fit the questions, or is to be confirmed.
const maxRounds = 6

// inputKey names the one input that is asked for.
const inputKey = "ask"

// requireInput ends the call with a result that asks for input. The ask waits in
// the hub meanwhile, and may be answered there; the client may never come back.
func (c *call) requireInput(t *hub.Ticket, form *sdk.ElicitParams, at turn, round int) (*sdk.CallToolResult, error) {
	c.owed.add(t)
	return &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{inputKey: form},
		RequestState: c.d.states.sign(state{
			Ticket: t.Handle, Call: c.callDigest(), Who: c.who, Asked: c.d.now(), Round: round, Unsure: at.unsure,
		}),
	}, nil
}

func (c *call) callDigest() []byte { return callDigest(c.r.Params.Name, c.r.Params.Arguments) }

// resume goes on with a call that comes back with input.
func (c *call) resume(ctx context.Context) (*sdk.CallToolResult, error) {
	st, err := c.d.states.use(c.r.Params.RequestState, c.who, c.callDigest(), c.d.now())
	if err != nil {
		return nil, badParams(err)
	}
	r, err := c.goOn(ctx, st)
	if ctx.Err() != nil {
		c.d.states.free(st) // the client may come with the same input again
	}
	return r, err
}

func (c *call) goOn(ctx context.Context, st *state) (*sdk.CallToolResult, error) {
	t, err := c.get(ctx, st.Ticket)
	if err != nil {
		return c.failed(ctx, nil, err)
	}
	c.owed.take(t.Handle)
	if !t.Open() {
		c.sign(ctx, sayso.RenderClosed(t.Ask, t.Outcome))
		if !t.Consumed.IsZero() {
			return c.tell(ctx, t, before(t))
		}
		return c.tell(ctx, t, "")
	}
	at := turn{unsure: st.Unsure}
	got, ok := c.r.Params.InputResponses[inputKey].(*sdk.ElicitResult)
	next := &at // who comes back without the input is asked for it again
	if form := c.formFor(t, at); form != nil && ok {
		var o *sayso.Outcome
		if o, next = c.read(t, at, form, got, c.d.now().Sub(st.Asked)); o != nil {
			return c.give(ctx, t, o)
		}
	}
	if next != nil && st.Round+1 < maxRounds && c.version >= modern {
		if form := c.formFor(t, *next); form != nil {
			return c.requireInput(t, form, *next, st.Round+1)
		}
		c.unseen = true
	}
	return c.hold(ctx, t, c.limit())
}

func badParams(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
}
