package httpapi

import (
	"net/http"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// defaultWait is how long a call waits that does not say how long: less than what
// most clients and proxies put up with.
const defaultWait = 55 * time.Second

// call is the whole tool: what a model wrote goes in, what it reads comes out.
func (s *Server) call(c *call) error {
	var in api.CallRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	wait, err := c.wait(defaultWait)
	if err != nil {
		return err
	}
	d, ok := s.dialectByName(c.r.PathValue("name"))
	if !ok {
		return noDialect()
	}
	defer c.leave()
	var t *hub.Ticket
	if in.Ask != "" {
		t, err = c.earlier(in.Ask)
	} else {
		var refusal *sayso.Result
		if t, refusal, err = s.called(c, &in, wait > 0); refusal != nil {
			return c.reply(http.StatusOK, api.CallResult{Status: api.StatusRefused, ToolCall: in.ID, Metadata: in.Metadata, Result: *toolResult(refusal)})
		}
	}
	if err != nil {
		return err
	}
	if t, err = s.outcome(c, t, wait, true); err != nil {
		return err
	}
	status := http.StatusOK
	if t.Open() {
		status = http.StatusAccepted
	}
	told, err := s.told(d, t)
	if err != nil {
		return err
	}
	return c.reply(status, told)
}

// called submits the ask of a call. A refusal is for the model.
func (s *Server) called(c *call, in *api.CallRequest, waits bool) (*hub.Ticket, *sayso.Result, error) {
	a, refusal, err := s.prepare(c.r.PathValue("name"), sayso.Call{
		ID: in.ID, Conversation: in.Conversation, Agents: in.Agents,
		Host: in.Host, Workspace: in.Workspace, Branch: in.Branch, Arguments: in.Arguments,
	})
	if err != nil || refusal != nil {
		return nil, refusal, err
	}
	a.To, a.Deadline, a.MinAssurance, a.Final = in.To, in.Deadline, in.MinAssurance, in.Final
	a.OnExpiry, a.Metadata = in.OnExpiry, in.Metadata
	t, err := s.admit(c, a, waits)
	return t, nil, err
}

// earlier returns the ask of an earlier call of the caller.
func (c *call) earlier(handle string) (*hub.Ticket, error) {
	addr, err := c.address(handle)
	if err != nil {
		return nil, err
	}
	t, err := c.s.hub.Get(c.r.Context(), addr)
	if err == nil && sees(c.who, t) < whole {
		err = hub.ErrNotFound
	}
	return t, err
}

// told words what became of a call, also that it still waits.
func (s *Server) told(d sayso.Dialect, t *hub.Ticket) (*api.CallResult, error) {
	r := &api.CallResult{Ask: s.hub.Handle(t.Address), Status: t.Status(), ToolCall: t.Ask.Origin.ToolCall, Metadata: t.Ask.Metadata}
	a, o := t.Ask, t.Outcome
	if o == nil {
		// The model is told the name by which it can be asked for again.
		named := *a
		named.ID = r.Ask
		a, o = &named, &sayso.Outcome{Status: sayso.StatusPending}
	} else {
		r.By, r.At, r.Replayed, r.Changed = &o.By, o.At, t.Replayed, t.Changed()
	}
	words, err := (&sayso.Tool{Dialect: d}).Finish(a, o)
	if err != nil {
		return nil, err
	}
	r.Result = *toolResult(words)
	return r, nil
}

func toolResult(r *sayso.Result) *api.ToolResult {
	return &api.ToolResult{Text: r.Text, Structured: r.Structured, IsError: r.IsError, StopTurn: r.StopTurn}
}
