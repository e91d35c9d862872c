package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
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
// person is asked whether it may be used.
//
// It waits for as long as the client does: whoever runs without a person at hand
// wants the answer, not a handle.
func (c *call) permission(ctx context.Context) (*sdk.CallToolResult, error) {
	var in struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"input"`
		ID    string          `json:"tool_use_id"`
	}
	if err := json.Unmarshal(c.r.Params.Arguments, &in); err != nil || in.Tool == "" || len(in.Input) == 0 {
		return refused("This tool is for requests of permission, with tool_name and input."), nil
	}
	asks := &sayso.Tool{Dialect: dialect.Claude}
	questions := in.Tool == dialect.Claude.Spec().Name
	if !questions {
		asks.Dialect = mayIUse{name: in.Tool, input: in.Input}
	}
	a, refusal := asks.Prepare(c.sayso(in.ID, in.Input))
	switch {
	case refusal != nil && questions:
		return verdict(deny(refusal.Text)), nil
	case refusal != nil, !questions && len(raw(a)) > maxStored:
		return verdict(deny(tooLarge(in.Tool, in.Input))), nil
	}
	c.mark(a, map[string]any{"rung": "permission"})
	t, err := c.hub.Submit(ctx, a)
	if invalid := (*sayso.InvalidError)(nil); errors.As(err, &invalid) && !questions {
		return verdict(deny(tooLarge(in.Tool, in.Input))), nil
	}
	if err == nil {
		stop := c.signs(ctx, c.waiting())
		t, err = hub.Await(ctx, c.hub, t)
		stop()
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return verdict(deny("Nobody could be asked: " + err.Error())), nil
	}
	out := t.Outcome.Settled()
	if out.Status != sayso.StatusAnswered {
		r, err := asks.Finish(t.Ask, out)
		if err != nil {
			return nil, err
		}
		return verdict(deny(r.Text)), nil
	}
	if questions {
		return c.answered(asks, t.Ask, out, in.Input)
	}
	if ans, ok := out.Answer(t.Ask.Questions[0].ID); ok && len(ans.Selected) == 1 && ans.Selected[0] == "allow" {
		return verdict(map[string]any{"behavior": "allow", "updatedInput": in.Input}), nil
	}
	return verdict(deny(said(t.Ask, out))), nil
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
		return verdict(deny("The input cannot be read.")), nil
	}
	if err := json.Unmarshal(r.Structured, &structured); err != nil {
		return nil, err
	}
	if _, free := structured["response"]; free { // Claude Code drops it there
		return verdict(deny(r.Text)), nil
	}
	for _, name := range []string{"answers", "annotations"} {
		if v, ok := structured[name]; ok {
			in[name] = v
		}
	}
	return verdict(map[string]any{"behavior": "allow", "updatedInput": in}), nil
}

func deny(message string) map[string]any {
	return map[string]any{"behavior": "deny", "message": message}
}

// verdict is what Claude Code reads: JSON in a text.
func verdict(v map[string]any) *sdk.CallToolResult { return say(string(raw(v))) }

// said is what the person said instead of allowing it.
func said(a *sayso.Ask, o *sayso.Outcome) string {
	parts := []string{"The user did not allow this."}
	for _, ans := range o.Answers {
		parts = append(parts, ans.Other, ans.Note)
	}
	parts = append(parts, o.Reply)
	var words []string
	for _, p := range parts {
		if !sayso.Blank(p) {
			words = append(words, p)
		}
	}
	return strings.Join(words, " ")
}
