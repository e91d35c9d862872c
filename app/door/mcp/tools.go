package mcp

import (
	"context"
	"encoding/json"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso/dialect/schema"
)

// The tools.
const (
	toolAsk        = "ask_user"
	toolAsync      = "ask_user_async"
	toolCheck      = "check_answer"
	toolWithdraw   = "withdraw"
	toolPast       = "past_decisions"
	toolPermission = "permission_prompt"
)

func (d *Door) newServer() *sdk.Server {
	can := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}} // which never change
	can.AddExtension(tasks, nil)
	s := sdk.NewServer(&sdk.Implementation{Name: "sayso", Title: "sayso", Version: d.opts.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: can,
		Logger:       slog.New(slog.DiscardHandler), // what it logs may hold questions
	})
	add := func(name, title, description string, schema json.RawMessage, run func(*call, context.Context) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{
			Name: name, Title: title, Description: description, InputSchema: schema,
			// Claude Code hides tools behind a search without this.
			Meta:        sdk.Meta{"anthropic/alwaysLoad": true},
			Annotations: harmless(title),
		}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			c := d.newCall(ctx, r)
			result, err := run(c, ctx)
			if err != nil || result.InputRequests != nil || name == toolPermission {
				return result, err
			}
			c.addLate(ctx, result)
			c.told(ctx, result)
			return result, nil
		})
	}
	add(toolAsk, "Ask the user", askDescription, askSchema, (*call).ask)
	add(toolAsync, "Ask the user without waiting", asyncDescription, askSchema, (*call).askAsync)
	add(toolCheck, "Check for an answer", checkDescription, checkSchema, (*call).check)
	add(toolWithdraw, "Withdraw a question", withdrawDescription, withdrawSchema, (*call).withdraw)
	add(toolPast, "Look up earlier decisions", pastDescription, pastSchema, (*call).past)
	if d.opts.Permission {
		add(toolPermission, "Permission prompt", permissionDescription, permissionSchema, (*call).permission)
	}
	if err := d.addTasks(s); err != nil {
		panic(err) // the SDK has methods of these names
	}
	s.AddReceivingMiddleware(d.knowing)
	s.AddReceivingMiddleware(d.naming) // the first to see a call
	return s
}

// harmless says that a tool needs no permission: some agents refuse tools that do
// not say so where nobody can be asked for it, which is where ours are for.
func harmless(title string) *sdk.ToolAnnotations {
	no := false
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, DestructiveHint: &no, OpenWorldHint: &no}
}

const instructions = `Ask the person you work for with ask_user when a decision is theirs. The question reaches them wherever they are. If a result says that the question is still open, go on with what does not depend on it and call check_answer later with the handle; never assume an answer. Look with past_decisions before you ask what may have been decided already.`

const askDescription = `Ask the person you work for when you need a decision, a preference or a requirement that only they can give, and wait for the answer.

- Ask 1 to 4 questions in one call. Give each 2 to 4 options, or none if only words can answer it.
- Do not offer an "Other" option: the person can always answer in their own words.
- Put the option you would choose first and end its label with "(Recommended)".
- Set multiSelect when several options can hold together.
- Do not ask for passwords, keys or other secrets.

You read each question back with the answer below it. Lines that begin with "> " are the person's own words. If the result says that the question is still open, it holds a handle: call check_answer with it later.`

const asyncDescription = `Ask the person you work for without waiting. The arguments are those of ask_user. You get a handle at once: go on with what does not depend on the answer, and call check_answer with the handle when you need it.`

const checkDescription = `Get the answer to a question that was still open, by its handle. Waits for a while if there is none yet. A question that is still open after that is not answered: do not assume an answer.`

const withdrawDescription = `Withdraw a question that you no longer need answered, by its handle, so that the person is not bothered with it.`

var askSchema = schema.Object(
	schema.Required("questions", schema.Questions(askLimits, "The questions, 1 to 4", schema.Object(
		schema.Required("question", schema.Text("The whole question")),
		schema.Optional("header", schema.String("A very short name, at most 12 characters")),
		// The limits let more options pass than the model is told to offer.
		schema.Optional("options", schema.Array("The choices, 2 to 4, different from each other; none for a question that only words can answer", 0, 4, schema.Object(
			schema.Required("label", schema.Text("What the person sees and chooses")),
			schema.Optional("description", schema.String("What choosing it means")),
			schema.Optional("preview", schema.String("Markdown or code shown with the option")),
		))),
		schema.Optional("multiSelect", schema.Boolean("Whether several options may be chosen")),
	))),
	// Written out because clients know it with the items before the description.
	schema.Optional("agents", schema.New("Only if you are a sub-agent: the names of the agents above you and your own, the top one first", "array").
		With("items", schema.String(""))),
).JSON()

var handleProperty = schema.Required("handle", schema.String("The handle of the question, exactly as it was given"))

var checkSchema = schema.Object(
	handleProperty,
	schema.Optional("wait_seconds", schema.New("How long to wait for an answer at most; 0 looks once", "number").With("minimum", 0)),
).JSON()

var withdrawSchema = schema.Object(
	handleProperty,
	schema.Optional("reason", schema.String("Why, in a few words for the person")),
).JSON()
