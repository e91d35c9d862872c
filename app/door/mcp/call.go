package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// call is one call of a tool.
type call struct {
	*caller
	d       *Door
	r       *sdk.CallToolRequest
	client  string // what the client calls itself
	version string // of the protocol
	can     *sdk.ClientCapabilities
	signed  float64 // how many signs of life it gave
	tells   string  // the likeness of the ask whose outcome it tells
	unseen  bool    // the client could not show the question to anybody
}

func (d *Door) newCall(ctx context.Context, r *sdk.CallToolRequest) *call {
	c := &call{caller: callerOf(ctx), d: d, r: r}
	c.version, c.can = declared(r)
	c.client = nameOf(r.ClientInfo())
	return c
}

// nameOf returns what a client calls itself.
func nameOf(client *sdk.Implementation) string {
	if client == nil {
		return ""
	}
	return cut(sayso.SafeLine(client.Name), 64)
}

// arguments returns the arguments of a tool that is not asked in a dialect.
func (c *call) arguments() (map[string]any, error) {
	if len(c.r.Params.Arguments) == 0 {
		return nil, nil
	}
	v, err := sayso.ReadJSON(c.r.Params.Arguments)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("the arguments are not an object")
	}
	return m, nil
}

// prepare turns the arguments into an ask, or into the refusal that the model
// reads.
func (c *call) prepare() (*sayso.Ask, *sdk.CallToolResult) {
	a, refusal := tool.Prepare(c.sayso("", c.r.Params.Arguments))
	if refusal != nil {
		return nil, result(refusal)
	}
	c.mark(a, nil)
	return a, nil
}

// sayso is the call as the library knows it. A name that the client gave it is
// unique only within this run: some models count from one.
func (c *call) sayso(name string, arguments json.RawMessage) sayso.Call {
	if name == "" {
		name = strconv.FormatInt(c.d.calls.Add(1), 10)
	}
	o := c.origin
	return sayso.Call{
		ID: "mcp:" + c.d.opts.Instance + ":" + cut(name, 60), Conversation: o.Conversation,
		Host: c.client, Workspace: o.Workspace, Branch: o.Branch, Agents: c.agents(), Arguments: arguments,
	}
}

// agents returns the chain of agents that the host, or a sub-agent itself, tells.
func (c *call) agents() []string {
	told, ok := c.r.Params.GetMeta()[metaAgents].([]any)
	if !ok {
		args, err := c.arguments()
		if err != nil {
			return nil
		}
		told, _ = args["agents"].([]any)
	}
	var names []string
	for _, v := range told {
		if s, ok := v.(string); ok && !sayso.Blank(s) && len(names) < 8 {
			names = append(names, cut(sayso.SafeLine(s), 64))
		}
	}
	return names
}

// metaAgents is where a host that may not change the arguments tells the chain.
const metaAgents = "sayso/agents"

// submit stores the ask, unless the same question of this agent is in the hub
// already and nobody waits for it any more: then that is taken on.
func (c *call) submit(ctx context.Context, a *sayso.Ask) (t *hub.Ticket, again bool, err error) {
	if same, ok := c.owed.takeSame(likeness(a)); ok {
		t, err := c.hub.Get(ctx, same.id)
		switch {
		case err == nil && (t.Consumed.IsZero() || same.vain):
			return t, true, nil
		case err != nil && !errors.Is(err, hub.ErrNotFound):
			c.owed.put(same)
			return nil, false, err
		}
	}
	t, err = c.hub.Submit(ctx, a)
	return t, false, err
}

// handle is the argument by which a model names a question.
func (c *call) handle() (map[string]any, string, *sdk.CallToolResult) {
	args, err := c.arguments()
	if err != nil {
		return nil, "", refused("The arguments cannot be read: " + err.Error())
	}
	id, _ := args["handle"].(string)
	if id == "" {
		return nil, "", refused("Give the handle of the question, as it was given to you.")
	}
	return args, id, nil
}

func (c *call) ask(ctx context.Context) (*sdk.CallToolResult, error) {
	// Input without a state is input that nobody asked for. It is passed over, as
	// the protocol wants it, and can never count as an answer.
	if c.r.Params.RequestState != "" {
		return c.resume(ctx)
	}
	a, refusal := c.prepare()
	if refusal != nil {
		return refusal, nil
	}
	c.adopt(ctx)
	t, again, err := c.submit(ctx, a)
	if err != nil {
		return c.failed(ctx, a, err)
	}
	if again && !t.Open() {
		return c.tell(ctx, t, "This is the answer to the same question, asked before:\n\n")
	}
	form := c.formFor(t, turn{})
	c.unseen = form == nil && showsForms(c.can)
	switch r := rungOf(c.version, c.can); {
	case form == nil, r == rungHold, c.d.opts.NoForms, keepsForms(c.client), c.isMuted(c.d.now()):
		return c.hold(ctx, t, c.limit())
	case r == rungForm:
		return c.showForm(ctx, t)
	}
	return c.requireInput(t, form, turn{}, 0)
}

func (c *call) askAsync(ctx context.Context) (*sdk.CallToolResult, error) {
	a, refusal := c.prepare()
	if refusal != nil {
		return refusal, nil
	}
	c.adopt(ctx)
	t, _, err := c.submit(ctx, a)
	if err != nil {
		return c.failed(ctx, a, err)
	}
	c.owed.add(t)
	r := say("The question was asked. It has the handle " + c.short(t) + "\nGo on with what does not depend on the answer, and call check_answer with the handle when you need it. Do not assume an answer.")
	return label(r, t), nil
}

func (c *call) check(ctx context.Context) (*sdk.CallToolResult, error) {
	args, name, refusal := c.handle()
	if refusal != nil {
		return refusal, nil
	}
	limit := c.limit()
	if s, ok := args["wait_seconds"].(float64); ok && s >= 0 && s < limit.Seconds() {
		limit = time.Duration(s * float64(time.Second))
	}
	c.adopt(ctx)
	id, err := c.find(ctx, name)
	if err != nil {
		return c.failed(ctx, nil, err)
	}
	t, err := c.hub.Get(ctx, id)
	if err != nil {
		return c.failed(ctx, nil, err)
	}
	c.owed.take(id)
	if !t.Consumed.IsZero() {
		return c.tell(ctx, t, before(t))
	}
	switch {
	case !t.Open():
		return c.tell(ctx, t, "")
	case limit == 0:
		return c.pending(t)
	}
	return c.hold(ctx, t, limit)
}

func (c *call) withdraw(ctx context.Context) (*sdk.CallToolResult, error) {
	args, name, refusal := c.handle()
	if refusal != nil {
		return refusal, nil
	}
	reason, _ := args["reason"].(string)
	c.adopt(ctx)
	id, err := c.find(ctx, name)
	if err != nil {
		return c.failed(ctx, nil, err)
	}
	t, err := c.hub.Withdraw(ctx, id, sayso.StatusCancelled, cut(sayso.SafeLine(reason), 500))
	var closed *hub.ClosedError
	switch {
	case errors.As(err, &closed):
		c.owed.take(id)
		return c.tell(ctx, closed.Ticket, "The question was closed before it could be withdrawn:\n\n")
	case err != nil:
		return c.failed(ctx, nil, err)
	}
	c.owed.take(id)
	return label(say("The question was withdrawn."), t), nil
}

// failed says that an ask could not be made, or is no longer known.
func (c *call) failed(ctx context.Context, a *sayso.Ask, err error) (*sdk.CallToolResult, error) {
	var invalid *sayso.InvalidError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &invalid):
		return result(words{}.Refuse(invalid)), nil
	case errors.Is(err, hub.ErrNotFound), errors.Is(err, hub.ErrHandle):
		return refused("There is no question with this handle. Give it exactly as it was given to you."), nil
	case errors.Is(err, sayso.ErrUnreachable) && a != nil:
		why := err.Error()
		if f := hub.FaultOf(err); f != "" {
			why = f.Advice()
		}
		o := &sayso.Outcome{Status: sayso.StatusUnreachable, Reason: "Nobody could be asked: " + why}
		if r, err := tool.Finish(a, o); err == nil {
			return result(r), nil
		}
	}
	return refused(fmt.Sprintf("The question could not be dealt with: %v", err)), nil
}

// mark notes on an ask which run of which program made it, and how.
func (c *call) mark(a *sayso.Ask, more map[string]any) {
	m := map[string]any{"instance": c.d.opts.Instance}
	if id, ok := c.r.Params.GetMeta()["claudecode/toolUseId"].(string); ok {
		m["toolUseId"] = cut(sayso.SafeLine(id), 128)
	}
	if id, ok := c.r.Params.GetMeta()["sessionId"].(string); ok { // of Codex
		m["session"] = cut(sayso.SafeLine(id), 128)
	}
	for k, v := range more {
		m[k] = v
	}
	if a.Metadata == nil {
		a.Metadata = map[string]any{}
	}
	a.Metadata["mcp"] = m
}

// Session returns the agent's session that an ask comes from, if the agent told it.
func Session(a *sayso.Ask) string { return marked(a, "session") }

// marked returns a note that mark made.
func marked(a *sayso.Ask, name string) string {
	m, _ := a.Metadata["mcp"].(map[string]any)
	s, _ := m[name].(string)
	return s
}

// cut shortens a name to so many runes.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// raw spells a value that is known to have a spelling.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
