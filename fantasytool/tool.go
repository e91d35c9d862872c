package fantasytool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"charm.land/fantasy"

	"github.com/saysohq/sayso"
)

// NewTool returns the tool under the dialect's own name.
func NewTool(d sayso.Dialect, r sayso.Resolver) fantasy.AgentTool {
	return New(&sayso.Tool{Dialect: d, Resolver: r}, nil)
}

// NewToolNamed returns the tool under another name, for hosts with names of their
// own or with several tools.
func NewToolNamed(name string, d sayso.Dialect, r sayso.Resolver) fantasy.AgentTool {
	return New(&sayso.Tool{Dialect: d, Resolver: r, Name: name}, nil)
}

// Origin says on whose behalf the tool asks. Fantasy tells a tool the id of the
// call and no more.
type Origin struct {
	Conversation string   // default: none; without one, calls with the same id and questions are the same ask
	Agents       []string // who calls, top agent first; default: none
	Host         string   // the program; default: none
	Workspace    string
	Branch       string
}

// New returns the tool with an origin for what it asks. If origin is nil, the asks
// carry only the id of the call.
func New(t *sayso.Tool, origin func(context.Context) Origin) fantasy.AgentTool {
	return &tool{tool: t, origin: origin}
}

type tool struct {
	tool   *sayso.Tool
	origin func(context.Context) Origin

	mu      sync.Mutex
	options fantasy.ProviderOptions
}

var _ fantasy.AgentTool = (*tool)(nil)

// Info returns what the model is told. The maps are the caller's: fantasy changes
// them for some providers.
func (t *tool) Info() fantasy.ToolInfo {
	spec := t.tool.Spec()
	info := fantasy.ToolInfo{Name: spec.Name, Description: spec.Description, Parameters: map[string]any{}, Required: []string{}}
	var schema struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	if err := json.Unmarshal(spec.Schema, &schema); err != nil {
		return info // a dialect's schema is an object; the tests of package dialect hold that
	}
	if schema.Properties != nil {
		info.Parameters = schema.Properties
	}
	if schema.Required != nil {
		info.Required = schema.Required
	}
	return info
}

// ProviderOptions returns what SetProviderOptions has set.
func (t *tool) ProviderOptions() fantasy.ProviderOptions {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.options
}

// SetProviderOptions keeps options for the provider of the model.
func (t *tool) SetProviderOptions(o fantasy.ProviderOptions) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.options = o
}

// Run asks what the model wants to have asked.
func (t *tool) Run(ctx context.Context, c fantasy.ToolCall) (fantasy.ToolResponse, error) {
	var from Origin
	if t.origin != nil {
		from = t.origin(ctx)
	}
	// The resolver's outcome is seen on its way, for the tool's result does not say
	// whether an answer may still come.
	var asked *sayso.Ask
	var outcome *sayso.Outcome
	asking := *t.tool
	asking.Resolver = sayso.ResolverFunc(func(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
		if t.tool.Resolver == nil {
			return nil, sayso.ErrUnreachable
		}
		o, err := t.tool.Resolver.Ask(ctx, a)
		asked, outcome = a, o
		return o, err
	})
	r, err := asking.Call(ctx, sayso.Call{
		ID: c.ID, Conversation: from.Conversation, Agents: slices.Clone(from.Agents),
		Host: from.Host, Workspace: from.Workspace, Branch: from.Branch,
		Arguments: json.RawMessage(c.Input),
	})
	if err != nil {
		return fantasy.ToolResponse{}, fmt.Errorf("%s: %w", asking.Spec().Name, err)
	}
	if outcome != nil && outcome.Status == sayso.StatusPending {
		return pending(c.ID, asked, r), nil
	}
	return response(r), nil
}

// response is what fantasy is told of a result. Models read text only; the
// structured form goes to the host as metadata.
func response(r *sayso.Result) fantasy.ToolResponse {
	out := fantasy.NewTextResponse(r.Text)
	out.IsError, out.StopTurn, out.Metadata = r.IsError, r.StopTurn, string(r.Structured)
	return out
}
