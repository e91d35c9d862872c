package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// defaultWait is how long a call waits that does not say how long: less than what
// most clients and proxies put up with.
const defaultWait = 55 * time.Second

func (s *Server) dialect(c *call) error {
	d, ok := s.dialectByName(c.r.PathValue("name"))
	if !ok {
		return notFound.problem("No dialect has this name. \"sayso dialects\" lists them.")
	}
	spec := d.Spec()
	return c.reply(http.StatusOK, api.Dialect{Dialect: spec.Dialect, Name: spec.Name, Description: spec.Description, Schema: spec.Schema})
}

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
		return notFound.problem("No dialect has this name. \"sayso dialects\" lists them.")
	}
	var t *hub.Ticket
	if in.Ask != "" {
		t, err = c.earlier(in.Ask)
	} else {
		var refusal *sayso.Result
		if t, refusal, err = s.called(c, &in); refusal != nil {
			return c.reply(http.StatusOK, api.CallResult{Result: *toolResult(refusal)})
		}
	}
	if err != nil {
		return err
	}
	over := s.opts.Now().Add(wait)
	for {
		if left := over.Sub(s.opts.Now()); t.Open() && left > 0 {
			if t, err = s.await(c, t, left); err != nil {
				return err
			}
		}
		if t.Open() {
			return c.told(http.StatusAccepted, d, t)
		}
		// Whoever is told acts on it, so it can no longer be undone. That it was
		// told does not mean that it arrived: the same call tells it again.
		taken, err := s.hub.Consume(c.r.Context(), t)
		if err == nil {
			if !taken.Replayed {
				s.stored(c, taken.Size())
			}
			return c.told(http.StatusOK, d, taken)
		}
		if !errors.Is(err, hub.ErrOpen) {
			return err
		}
		if t, err = s.hub.Get(c.r.Context(), t.Address); err != nil { // undone just now
			return err
		}
	}
}

// called submits the ask of a call. A refusal is for the model.
func (s *Server) called(c *call, in *api.CallRequest) (*hub.Ticket, *sayso.Result, error) {
	a, refusal, err := s.prepare(c.r.PathValue("name"), sayso.Call{
		ID: in.ID, Conversation: in.Conversation, Agents: in.Agents,
		Host: in.Host, Workspace: in.Workspace, Branch: in.Branch, Arguments: in.Arguments,
	})
	if err != nil || refusal != nil {
		return nil, refusal, err
	}
	a.To, a.Deadline, a.MinAssurance = in.To, in.Deadline, in.MinAssurance
	t, err := s.admit(c, a)
	return t, nil, err
}

// earlier returns the ask of an earlier call of the caller.
func (c *call) earlier(handle string) (*hub.Ticket, error) {
	addr, err := c.address(handle)
	if err != nil {
		return nil, err
	}
	t, err := c.s.hub.Get(c.r.Context(), addr)
	if err == nil && sees(c.who, t) != whole {
		err = hub.ErrNotFound
	}
	return t, err
}

// told words what became of a call, also that it still waits.
func (c *call) told(status int, d sayso.Dialect, t *hub.Ticket) error {
	o := t.Outcome
	if o == nil {
		o = &sayso.Outcome{Status: sayso.StatusPending}
	}
	r, err := (&sayso.Tool{Dialect: d}).Finish(t.Ask, o)
	if err != nil {
		return err
	}
	return c.reply(status, api.CallResult{Ask: c.s.hub.Handle(t.Address), Status: o.Status, Result: *toolResult(r)})
}

func toolResult(r *sayso.Result) *api.ToolResult {
	return &api.ToolResult{Text: r.Text, Structured: r.Structured, IsError: r.IsError, StopTurn: r.StopTurn}
}
