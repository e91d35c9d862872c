package mcp

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// maxRounds is how often a form is sent again because what came back does not
// fit the questions.
const maxRounds = 3

// inputKey names the one input that is asked for.
const inputKey = "ask"

// requireInput ends the call with a result that asks for input. The ask waits in
// the hub meanwhile, and may be answered there; the client may never come back.
func (c *call) requireInput(t *hub.Ticket, form *sdk.ElicitParams, round int) (*sdk.CallToolResult, error) {
	c.owed.add(t)
	return &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{inputKey: form},
		RequestState: c.d.states.sign(state{
			Ticket: t.Handle, Call: c.callDigest(), Who: c.who, Asked: c.d.now(), Round: round,
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
	t, err := c.hub.Get(ctx, st.Ticket)
	if err != nil {
		return c.failed(ctx, nil, err)
	}
	c.owed.take(t.Handle)
	switch {
	case !t.Consumed.IsZero():
		return c.tell(ctx, t, before(t))
	case !t.Open():
		return c.tell(ctx, t, "")
	}
	got, ok := c.r.Params.InputResponses[inputKey].(*sdk.ElicitResult)
	wrong := ""
	if ok {
		var o *sayso.Outcome
		if o, wrong = c.read(t.Ask, got, c.d.now().Sub(st.Asked)); o != nil {
			return c.give(ctx, t, o)
		}
	}
	if form := c.formFor(t, wrong); (!ok || wrong != "") && st.Round+1 < maxRounds && form != nil && c.version >= modern {
		return c.requireInput(t, form, st.Round+1)
	}
	return c.hold(ctx, t, c.limit())
}

func badParams(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
}

// read turns what came back in a form into an outcome. Without one, either wrong
// says what does not fit the questions, or nobody saw the form.
func (c *call) read(a *sayso.Ask, got *sdk.ElicitResult, took time.Duration) (o *sayso.Outcome, wrong string) {
	switch got.Action {
	case "accept":
		if got.Content == nil && !showsForms(c.can) {
			return nil, "" // the person went to the page; the answer comes from there
		}
		o, err := readForm(a, got.Content)
		if err != nil {
			return nil, "This did not fit the questions: " + sayso.SafeLine(err.Error())
		}
		return o, ""
	case "decline", "cancel":
		if byItself(got.Action, took) {
			c.mute(c.d.now().Add(muteFor))
			c.unseen = true
			return nil, ""
		}
		if got.Action == "decline" {
			return &sayso.Outcome{Status: sayso.StatusDeclined}, ""
		}
		return &sayso.Outcome{Status: sayso.StatusCancelled}, ""
	}
	c.unseen = true
	return nil, ""
}

// muteFor is how long no forms are sent to a client that answers them itself.
const muteFor = 10 * time.Minute

// byItself reports whether a program, and no person, turned a form away. Programs
// without a person do so at once (Claude Code -p, Codex where approvals are never
// asked for, Copilot -p), and those that lose patience at a whole minute. Where it
// is wrong, the question stays open and can be answered elsewhere.
func byItself(action string, took time.Duration) bool {
	if took < time.Second {
		return true
	}
	off := (took + 2*time.Second) % time.Minute
	return action == "cancel" && took > 30*time.Second && off < 4*time.Second
}
