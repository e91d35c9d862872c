package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// result is what an asker is told.
type result struct {
	ID         string       `json:"id,omitempty"`
	Status     sayso.Status `json:"status"`
	Text       string       `json:"text"`
	Structured raw          `json:"structured,omitempty"`
	IsError    bool         `json:"isError,omitempty"`
	StopTurn   bool         `json:"stopTurn,omitempty"`
	Late       []late       `json:"late,omitempty"`
}

// statusInvalid is what became of a call that is not valid: nobody was asked.
const statusInvalid sayso.Status = "invalid"

// asking is one call.
type asking struct {
	sayso.Call
	dialect sayso.Dialect
	to      []string
	wait    time.Duration
	final   bool
}

// ask asks and waits.
func (s *session) ask(ctx context.Context, c *asking) (*result, error) {
	tool := &sayso.Tool{Dialect: c.dialect, Final: c.final}
	c.Host, c.Workspace, c.Branch = s.opts.Origin.Host, s.opts.Origin.Workspace, s.opts.Origin.Branch
	if c.Conversation == "" {
		c.Conversation = s.opts.Origin.Conversation
	}
	if len(c.Agents) == 0 {
		c.Agents = s.opts.Origin.Agents
	}
	a, refusal := tool.Prepare(c.Call)
	if refusal != nil {
		return &result{Status: statusInvalid, Text: refusal.Text, IsError: true}, nil
	}
	a.To = c.to
	t, err := s.submit(ctx, a)
	var invalid *sayso.InvalidError
	switch {
	case errors.As(err, &invalid): // the hub takes less than the dialect: no secrets, say
		return &result{Status: statusInvalid, Text: sayso.RefusalText(tool.Spec().Name, invalid), IsError: true}, nil
	case errors.Is(err, sayso.ErrUnreachable):
		o := &sayso.Outcome{Status: sayso.StatusUnreachable}
		if f := hub.FaultOf(err); f != "" {
			o.Reason = f.Advice()
		}
		return finish(tool, "", a, o)
	case err != nil:
		return nil, failed(ctx, "", err)
	}
	return s.await(ctx, tool, t, c.wait)
}

// submit stores the ask. One without a call id is the same as an earlier one with
// the same questions, until the asker has had the answer.
func (s *session) submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	if a.ID != "" {
		return s.hub.Submit(ctx, a)
	}
	return hub.SubmitSame(ctx, s.hub, "rpc", a)
}

// await waits for the ticket, for ever if the limit is zero.
func (s *session) await(ctx context.Context, tool *sayso.Tool, t *hub.Ticket, limit time.Duration) (*result, error) {
	within := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	has, err := hub.Await(within, s.hub, t)
	switch {
	case err == nil:
		return finish(tool, has.Handle, has.Ask, has.Outcome)
	case ctx.Err() == nil && within.Err() != nil:
		return finish(tool, t.Handle, t.Ask, &sayso.Outcome{Status: sayso.StatusPending})
	}
	return nil, failed(ctx, t.Handle, err)
}

func finish(tool *sayso.Tool, id string, a *sayso.Ask, o *sayso.Outcome) (*result, error) {
	r, err := tool.Finish(a, o)
	if err != nil {
		return nil, err
	}
	return &result{
		ID: id, Status: o.Settled().Status,
		Text: r.Text, Structured: r.Structured, IsError: r.IsError, StopTurn: r.StopTurn,
	}, nil
}

// requestCancelled is the code that language servers use.
const requestCancelled = jrpc2.Code(-32800)

// failed words an error; the ask, if there is one, stays open.
func failed(ctx context.Context, id string, err error) error {
	e := &jrpc2.Error{Code: jrpc2.InternalError, Message: err.Error()}
	var changed *hub.ChangedError
	switch {
	case ctx.Err() != nil:
		e = &jrpc2.Error{Code: requestCancelled, Message: "the wait was cancelled; the ask stays open"}
	case errors.As(err, &changed), errors.Is(err, hub.ErrNotFound), errors.Is(err, hub.ErrHandle):
		e.Code = jrpc2.InvalidParams
	}
	if id == "" {
		return e
	}
	return e.WithData(map[string]string{"id": id})
}

func (s *session) askUser(ctx context.Context, _ *jrpc2.Request, p *struct {
	Arguments raw      `json:"arguments"`
	Dialect   string   `json:"dialect"`
	Tool      string   `json:"tool"`
	CallID    string   `json:"call_id"`
	Session   string   `json:"session_id"`
	Agents    []string `json:"agents"`
	To        []string `json:"to"`
	Wait      float64  `json:"wait"`
	Late      bool     `json:"late"`
	Final     bool     `json:"final"`
}) (any, error) {
	if len(p.Arguments) == 0 {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "params: arguments are missing")
	}
	d, err := s.dialectOf(p.Dialect, p.Tool, p.Arguments)
	if err != nil {
		return nil, err
	}
	r, err := s.ask(ctx, &asking{
		Call:    sayso.Call{ID: p.CallID, Conversation: p.Session, Agents: p.Agents, Arguments: p.Arguments},
		dialect: d, to: p.To, wait: seconds(p.Wait), final: p.Final,
	})
	if err == nil && p.Late {
		r.Late, _, _ = s.late(ctx, p.Session) // what cannot be read now is told with the next result
	}
	return r, err
}

func (s *session) dialectOf(name, tool string, arguments raw) (sayso.Dialect, error) {
	if name != "" {
		d, ok := dialect.ByName(name)
		if !ok {
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "params: %q is no dialect", name)
		}
		return d, nil
	}
	if d, ok := dialect.Detect(tool, arguments); ok && (tool != "" || s.opts.Dialect == nil) {
		return d, nil
	}
	if s.opts.Dialect != nil {
		return s.opts.Dialect, nil
	}
	return dialect.Text, nil
}

func seconds(n float64) time.Duration {
	return time.Duration(min(max(n, 0), 1e9) * float64(time.Second))
}

// clientAskUser is seed 0's request.
func (s *session) clientAskUser(ctx context.Context, req *jrpc2.Request, p *struct {
	Session string `json:"session_id"`
}) (any, error) {
	r, err := s.ask(ctx, &asking{
		Call:    sayso.Call{Conversation: p.Session, Arguments: params(req)},
		dialect: dialect.Opal,
	})
	if err != nil {
		return nil, err
	}
	switch r.Status {
	case sayso.StatusAnswered:
		return r.Structured, nil
	case statusInvalid:
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s", r.Text)
	}
	// The agent adds the words for a request that failed itself.
	e := jrpc2.Errorf(codeOf(r.Status), "%s", strings.TrimPrefix(r.Text, "User input request failed: "))
	return nil, e.WithData(map[string]any{"id": r.ID, "status": r.Status})
}

// codeOf returns the error code of what is not an answer: the command's exit code.
func codeOf(s sayso.Status) jrpc2.Code {
	switch s {
	case sayso.StatusUnreachable:
		return 3
	case sayso.StatusExpired:
		return 5
	}
	return 4
}

// params returns the parameters of a request as they were sent.
func params(req *jrpc2.Request) raw { return raw(req.ParamString()) }

// askUserRequest is seed 1's request.
func (s *session) askUserRequest(ctx context.Context, req *jrpc2.Request, p *struct {
	RequestID string `json:"requestId"`
	Session   string `json:"sessionId"`
}) (any, error) {
	c := &asking{Call: sayso.Call{ID: p.RequestID, Conversation: p.Session, Arguments: params(req)}, dialect: dialect.Pi}
	if !req.IsNotification() {
		r, err := s.ask(ctx, c)
		if err != nil {
			return nil, err
		}
		return response(p.RequestID, r), nil
	}
	// Whoever handles a notification holds up those behind it.
	s.work.Go(func() {
		r, err := s.ask(ctx, c)
		if ctx.Err() != nil {
			return // nobody is there to be told
		}
		if err != nil {
			r = &result{Status: statusInvalid, Text: err.Error()}
		}
		s.peer.notify(ctx, "ask_user_response", response(p.RequestID, r))
	})
	return nil, nil
}

// response is what seed 1's model reads, with the id of its request.
func response(id string, r *result) raw {
	name, _ := json.Marshal(id)
	if r.Status == statusInvalid {
		problem, _ := json.Marshal(r.Text)
		return raw(`{"requestId":` + string(name) + `,"answered":false,"error":` + string(problem) + `}`)
	}
	return bytes.Replace([]byte(r.Text), []byte("{"), []byte(`{"requestId":`+string(name)+`,`), 1)
}
