package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// The SDK knows nothing of the tasks extension; this is its wire. A task is an
// ask: its id is the handle, its state is what the hub says, and so it outlives
// the client, this process and the hub.

const pollEvery = 2 * time.Second

type task struct {
	sdk.ResultBase
	ResultType    string              `json:"resultType"`
	ID            string              `json:"taskId"`
	Status        string              `json:"status"`
	StatusMessage string              `json:"statusMessage,omitempty"`
	CreatedAt     time.Time           `json:"createdAt"`
	LastUpdatedAt time.Time           `json:"lastUpdatedAt"`
	TTL           *int64              `json:"ttlMs"`
	Poll          int64               `json:"pollIntervalMs"`
	InputRequests sdk.InputRequestMap `json:"inputRequests,omitempty"`
	Result        json.RawMessage     `json:"result,omitempty"`
}

type taskParams struct {
	sdk.ParamsBase
	ID             string               `json:"taskId"`
	InputResponses sdk.InputResponseMap `json:"inputResponses,omitempty"`
}

type done struct {
	sdk.ResultBase
	ResultType string `json:"resultType"`
}

var errTask = errors.New("there is no such task")

// addTasks lets clients that know tasks have them.
func (d *Door) addTasks(s *sdk.Server) error {
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if call, ok := r.(*sdk.CallToolRequest); ok && call.Params.Name == toolAsk && call.Params.RequestState == "" {
				if rungOf(declared(call)) == rungTask {
					return d.newCall(ctx, call).begin(ctx)
				}
			}
			switch method {
			case "tasks/get", "tasks/update", "tasks/cancel":
				if err := mayUseTasks(r); err != nil {
					return nil, err
				}
			}
			return next(ctx, method, r)
		}
	})
	return errors.Join(
		sdk.AddReceivingCustomMethod(s, "tasks/get", d.getTask),
		sdk.AddReceivingCustomMethod(s, "tasks/update", d.updateTask),
		sdk.AddReceivingCustomMethod(s, "tasks/cancel", d.cancelTask),
	)
}

// mayUseTasks refuses a request about a task whose client does not declare in it
// that it knows tasks, and one whose header names another task than its body.
func mayUseTasks(r sdk.Request) error {
	p, ok := r.GetParams().(*taskParams)
	if !ok || p == nil {
		return badParams(errTask)
	}
	can, _ := p.GetMeta()[sdk.MetaKeyClientCapabilities].(map[string]any)
	extensions, _ := can["extensions"].(map[string]any)
	if _, ok := extensions[tasks]; !ok {
		return &jsonrpc.Error{
			Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the request does not declare the extension " + tasks,
			Data: json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + tasks + `":{}}}}`),
		}
	}
	if x := r.GetExtra(); x != nil && x.Header != nil {
		if name := x.Header.Get("Mcp-Name"); name != "" && name != p.ID {
			return &jsonrpc.Error{Code: sdk.CodeHeaderMismatch, Message: "the header Mcp-Name does not name the task"}
		}
	}
	return nil
}

// begin makes a task of the call. It is stored before the client hears of it.
func (c *call) begin(ctx context.Context) (sdk.Result, error) {
	a, refusal := c.prepare()
	if refusal != nil {
		return c.complete(refusal), nil
	}
	c.adopt(ctx)
	c.mark(a, map[string]any{"rung": "task"})
	t, _, err := c.submit(ctx, a)
	if err != nil {
		r, err := c.failed(ctx, a, err)
		if err != nil {
			return nil, err
		}
		return c.complete(r), nil
	}
	return taskOf(t, "task"), nil
}

// complete is a result that is no task, for a client that was to have one.
func (c *call) complete(r *sdk.CallToolResult) sdk.Result {
	return &completeResult{Content: r.Content, IsError: r.IsError, ResultType: "complete", ResultBase: sdk.ResultBase{Meta: r.Meta}}
}

type completeResult struct {
	sdk.ResultBase
	Content    []sdk.Content `json:"content"`
	IsError    bool          `json:"isError,omitempty"`
	ResultType string        `json:"resultType"`
}

func taskOf(t *hub.Ticket, resultType string) *task {
	k := &task{
		ResultType: resultType, ID: t.Handle, Status: "working", StatusMessage: "waiting for the person to answer",
		CreatedAt: t.Ask.AskedAt.UTC(), LastUpdatedAt: t.Ask.AskedAt.UTC(), Poll: pollEvery.Milliseconds(),
	}
	if !t.Open() {
		k.Status, k.StatusMessage, k.LastUpdatedAt = "completed", string(t.Status()), t.Outcome.At.UTC()
		if t.Status() == sayso.StatusCancelled && t.Outcome.By.Kind == sayso.ByAsker {
			k.Status = "cancelled"
		}
	}
	return k
}

// findTask returns the ask that is the task: one that came in by this door.
func findTask(ctx context.Context, get func(context.Context, string) (*hub.Ticket, error), id string) (*hub.Ticket, error) {
	t, err := get(ctx, id)
	switch {
	case errors.Is(err, hub.ErrNotFound), err == nil && marked(t.Ask, "instance") == "":
		return nil, badParams(errTask)
	}
	return t, err
}

func (d *Door) getTask(ctx context.Context, session *sdk.ServerSession, p *taskParams) (*task, error) {
	c := d.taskCall(ctx, session, p)
	t, err := findTask(ctx, c.hub.Get, p.ID)
	if err != nil {
		return nil, err
	}
	if t.Open() {
		k := taskOf(t, "complete")
		if form := c.taskForm(t); form != nil {
			k.Status, k.InputRequests = "input_required", sdk.InputRequestMap{inputKey: form}
		}
		return k, nil
	}
	d.turns.set(c.who, t.Handle, nil)
	if t.Consumed.IsZero() {
		if t, err = hub.Await(ctx, c.hub, t); err != nil {
			return nil, err
		}
	}
	k := taskOf(t, "complete")
	if k.Status == "completed" {
		r, err := tool.Finish(t.Ask, t.Outcome)
		if err != nil {
			return nil, err
		}
		k.Result = raw(label(result(r), t))
	}
	return k, nil
}

// taskCall is a request about a task, as a call.
func (d *Door) taskCall(ctx context.Context, session *sdk.ServerSession, p *taskParams) *call {
	c := &call{caller: callerOf(ctx), d: d}
	r := &sdk.ServerRequest[*taskParams]{Session: session, Params: p}
	c.version, c.can = declared(r)
	c.client = nameOf(r.ClientInfo())
	return c
}

// taskForm is what the client itself is asked about a task. That is nothing,
// unless it was wished for: a client that shows a form does not notice that the
// question was answered elsewhere.
func (c *call) taskForm(t *hub.Ticket) *sdk.ElicitParams {
	if !c.d.opts.TaskForms || c.isMuted(c.d.now()) {
		return nil
	}
	return c.formFor(t, c.d.turns.of(c.who, t.Handle))
}

// updateTask takes what the person said in the client. What does not fit is asked
// again by the next poll; what comes too late or was not asked for changes nothing.
func (d *Door) updateTask(ctx context.Context, session *sdk.ServerSession, p *taskParams) (*done, error) {
	c := d.taskCall(ctx, session, p)
	t, err := findTask(ctx, c.get, p.ID)
	if err != nil {
		return nil, err
	}
	got, ok := p.InputResponses[inputKey].(*sdk.ElicitResult)
	form := c.taskForm(t)
	if !ok || !t.Open() || form == nil {
		return &done{ResultType: "complete"}, nil
	}
	o, next := c.read(t, d.turns.of(c.who, t.Handle), form, got, d.now().Sub(t.Ask.AskedAt))
	d.turns.set(c.who, t.Handle, next)
	if o == nil {
		return &done{ResultType: "complete"}, nil
	}
	_, err = c.relay(ctx, t, o)
	if closed := (*hub.ClosedError)(nil); errors.As(err, &closed) {
		err = nil // somebody was faster
	}
	return &done{ResultType: "complete"}, err
}

func (d *Door) cancelTask(ctx context.Context, _ *sdk.ServerSession, p *taskParams) (*done, error) {
	if _, err := findTask(ctx, callerOf(ctx).hub.Get, p.ID); err != nil {
		return nil, err
	}
	_, err := callerOf(ctx).hub.Withdraw(ctx, p.ID, sayso.StatusCancelled, "the agent cancelled the task")
	if closed := (*hub.ClosedError)(nil); err != nil && !errors.As(err, &closed) {
		return nil, err
	}
	return &done{ResultType: "complete"}, nil
}
