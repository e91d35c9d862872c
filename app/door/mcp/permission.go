package mcp

import (
	"context"
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/claudecall"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/dialect/schema"
	"github.com/saysohq/sayso/hub"
)

const permissionDescription = `Answers the requests for permission of Claude Code (--permission-prompt-tool). Not for you to call.`

var permissionSchema = schema.Object(
	schema.Required("tool_name", schema.String("")),
	schema.Required("input", schema.Object()),
	schema.Optional("tool_use_id", schema.String("")),
).JSON()

// permission answers Claude Code where it would ask for permission. Its own
// question tool is answered with the person's answers; for every other tool the
// person decides whether it may run.
//
// It waits for as long as the client does: whoever runs without a person at hand
// wants the answer, not a handle. Without a decision the tool is denied, as nobody
// else can allow it.
func (c *call) permission(ctx context.Context) (*sdk.CallToolResult, error) {
	var in struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"input"`
		ID    string          `json:"tool_use_id"`
	}
	if err := json.Unmarshal(c.r.Params.Arguments, &in); err != nil || in.Tool == "" || len(in.Input) == 0 {
		return refused("This tool is for requests of permission, with tool_name and input."), nil
	}
	said := c.sayso(in.ID, in.Input)
	if in.Tool != dialect.Claude.Spec().Name {
		return c.permit(ctx, said, &claudecall.Call{
			Tool: in.Tool, Input: in.Input, Cwd: c.d.opts.Dir, Read: c.d.opts.Read,
			NoRules: true, // Claude Code suggests none here
		})
	}
	asks := &sayso.Tool{Dialect: dialect.Claude}
	a, refusal := asks.Prepare(said)
	if refusal != nil {
		return verdict(claudecall.Deny(refusal.Text)), nil
	}
	t, err := c.decision(ctx, a)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return verdict(claudecall.Deny("Nobody could be asked: " + err.Error())), nil
	}
	out := t.Outcome.Settled()
	if out.Status == sayso.StatusAnswered {
		return c.answered(asks, t.Ask, out, in.Input)
	}
	r, err := asks.Finish(t.Ask, out)
	if err != nil {
		return nil, err
	}
	return verdict(claudecall.Deny(r.Text)), nil
}

// permit asks whether a tool may run.
func (c *call) permit(ctx context.Context, said sayso.Call, tool *claudecall.Call) (*sdk.CallToolResult, error) {
	a, err := approval(said, tool)
	if err != nil {
		return verdict(claudecall.Deny("Nobody was asked, because this cannot be shown whole: " + err.Error())), nil
	}
	t, err := c.decision(ctx, a)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return verdict(claudecall.Deny("Nobody could be asked: " + err.Error())), nil
	}
	v := t.Ask.Verdict(t.Outcome)
	if v == nil {
		return verdict(claudecall.Deny("Nobody allowed this: " + sayso.RenderResult(t.Ask, t.Outcome.Settled()))), nil
	}
	// What waits here is what runs. It must be what was shown, to the last byte.
	now, err := approval(said, tool)
	if err != nil || v.Allowed() && now.Digest() != t.Digest {
		return verdict(tool.Changed()), nil
	}
	d := tool.Decide(v)
	if d.Behavior == "allow" && d.Input == nil {
		d.Input = tool.Input // which has to be there
	}
	return verdict(d), nil
}

// approval makes the ask of a tool call.
func approval(said sayso.Call, tool *claudecall.Call) (*sayso.Ask, error) {
	a := &sayso.Ask{Approval: tool.Approval(), Dialect: sayso.ApprovalDialect, Origin: sayso.Origin{
		Conversation: said.Conversation, ToolCall: said.ID, Agents: said.Agents, Host: said.Host, Workspace: said.Workspace, Branch: said.Branch,
	}}
	a.Normalize()
	if err := a.Validate(sayso.Limits{}); err != nil {
		return nil, err
	}
	a.ID = a.DeriveID()
	return a, nil
}

// decision stores an ask and waits for what becomes of it.
func (c *call) decision(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	c.mark(a, map[string]any{"rung": "permission"})
	t, err := c.hub.Submit(ctx, a)
	if err != nil {
		return nil, err
	}
	stop := c.signs(ctx, c.waiting())
	defer stop()
	has, err := hub.Await(ctx, c.hub, t)
	if err != nil && ctx.Err() != nil && a.Approval != nil {
		c.abandon(ctx, t)
	}
	return has, err
}

// abandon withdraws what nobody waits for any more: it was decided elsewhere, or the
// agent has ended. A question stays, as its answer may be told later; a permission is
// for this call only.
func (c *call) abandon(ctx context.Context, t *hub.Ticket) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	c.hub.Withdraw(ctx, t.Handle, sayso.StatusCancelled, "the agent no longer waits for it") // what fails here is told by nobody: the agent is gone
}

// answered allows the question tool to run with the answers in its input, which
// is how Claude Code takes them.
func (c *call) answered(asks *sayso.Tool, a *sayso.Ask, o *sayso.Outcome, input json.RawMessage) (*sdk.CallToolResult, error) {
	r, err := asks.Finish(a, o)
	if err != nil {
		return nil, err
	}
	var in, structured map[string]json.RawMessage
	if err := json.Unmarshal(input, &in); err != nil {
		return verdict(claudecall.Deny("The input cannot be read.")), nil
	}
	if err := json.Unmarshal(r.Structured, &structured); err != nil {
		return nil, err
	}
	if _, free := structured["response"]; free { // Claude Code drops it there
		return verdict(claudecall.Deny(r.Text)), nil
	}
	for _, name := range []string{"answers", "annotations"} {
		if v, ok := structured[name]; ok {
			in[name] = v
		}
	}
	return verdict(&claudecall.Decision{Behavior: "allow", Input: raw(in)}), nil
}

// verdict is what Claude Code reads: JSON in a text.
func verdict(d *claudecall.Decision) *sdk.CallToolResult { return say(string(raw(d))) }
