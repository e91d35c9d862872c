package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// words is the tool as this door spells it: the answers of [dialect.Text], which
// read back in one way only, to questions that need no header and no options.
type words struct{}

var tool = &sayso.Tool{Dialect: words{}}

var askLimits = sayso.Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 10, UniqueText: true}

func (words) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect: dialect.Text.Spec().Dialect, Name: toolAsk, Description: askDescription, Schema: askSchema, Limits: askLimits,
	}
}

func (words) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	a, err := dialect.Text.Parse(arguments)
	var all sayso.InvalidError
	if invalid := (*sayso.InvalidError)(nil); errors.As(err, &invalid) {
		all.Problems = invalid.Problems
	} else if err != nil {
		return a, err
	}
	if a != nil {
		for i, q := range a.Questions {
			if q.Secret {
				all.Add(hub.ErrSecret, sayso.QuestionPath(i, -1, "secret"), "is set; neither a hub nor a form of the client may hold secrets, so have the person put it where the program reads it")
			}
		}
	}
	return a, all.OrNil()
}

func (words) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	return dialect.Text.Format(a, o)
}

var fieldNames = strings.NewReplacer(".text", ".question", ".multi", ".multiSelect")

// Refuse words what is wrong with a call by the names of its fields.
func (words) Refuse(e *sayso.InvalidError) *sayso.Result {
	var named sayso.InvalidError
	for _, p := range e.Problems {
		named.Add(p.Err, fieldNames.Replace(p.Path), p.Message)
	}
	return &sayso.Result{Text: sayso.RefusalText(toolAsk, &named), IsError: true}
}

// result is what the client hands to the model. The structured form is left out:
// some clients show it in place of the text.
func result(r *sayso.Result) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: r.Text}}, IsError: r.IsError}
}

func say(text string) *sdk.CallToolResult { return result(&sayso.Result{Text: text}) }

// refused is what the model is told of a call that cannot be done as it is.
func refused(text string) *sdk.CallToolResult {
	return result(&sayso.Result{Text: sayso.SafeText(text), IsError: true})
}

// label adds for programs what the text says to the model.
func label(r *sdk.CallToolResult, t *hub.Ticket) *sdk.CallToolResult {
	r.Meta = sdk.Meta{"sayso/handle": t.Handle, "sayso/status": string(t.Status())}
	return r
}

// before stands above an answer that is told again because it was asked for.
func before(t *hub.Ticket) string {
	return "This answer was given to you before, at " + t.Consumed.UTC().Format(time.RFC3339) + ":\n\n"
}

// tell words the outcome of an ask that is closed, after the hub was told that
// the asker has it.
func (c *call) tell(ctx context.Context, t *hub.Ticket, above string) (*sdk.CallToolResult, error) {
	if t.Consumed.IsZero() {
		has, err := hub.Await(ctx, c.hub, t)
		if err != nil {
			c.owed.add(t)
			return c.failed(ctx, t.Ask, err)
		}
		t = has
		if t.Changed() && above == "" {
			above = "The user has changed the answer that you were given before. This one replaces it:\n\n"
		}
	}
	c.owed.note(t)
	r, err := tool.Finish(t.Ask, t.Outcome)
	if err != nil {
		return c.failed(ctx, t.Ask, err)
	}
	c.tells = likeness(t.Ask)
	told := result(r)
	told.Content[0].(*sdk.TextContent).Text = above + r.Text
	return label(told, t), nil
}

// pending leaves an ask for later.
func (c *call) pending(t *hub.Ticket) (*sdk.CallToolResult, error) {
	c.owed.add(t)
	nameless := *t.Ask
	nameless.ID = "" // a second name beside the handle would only be mixed up with it
	r, err := tool.Finish(&nameless, &sayso.Outcome{Status: sayso.StatusPending})
	if err != nil {
		return nil, err
	}
	if c.unseen {
		r.Text += " Your own program could not show it; it waits in the inbox."
	}
	r.Text += "\nGo on with what does not depend on it, and call check_answer later with the handle " + c.short(t)
	return label(result(r), t), nil
}
