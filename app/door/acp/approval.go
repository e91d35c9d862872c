package acp

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/saysohq/sayso"
)

// asking is a permission request of the agent, for something that it wants to do.
type asking struct {
	Session  string   `json:"sessionId"`
	ToolCall toolCall `json:"toolCall"`
	Options  []option `json:"options"`
	Meta     struct {
		MCP bool `json:"is_mcp_tool_approval"`
	} `json:"_meta"`
}

// option is one of the replies that the agent offers.
type option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`

	offer string // the id of the offer; "": it is not offered in the hub
}

func (c *option) allows() bool { return c.Kind == "allow_once" || c.Kind == "allow_always" }
func (c *option) denies() bool { return c.Kind == "reject_once" || c.Kind == "reject_always" }

// readApproval returns the approval that a permission request is, or nil if the hub
// cannot carry it.
func (p *proxy) readApproval(params raw) *question {
	var r asking
	if sayso.CheckLargeJSON(params, maxCallBytes) != nil || json.Unmarshal(params, &r) != nil || r.ToolCall.ID == "" || r.Session == "" {
		return nil
	}
	cwd, mode, _ := p.sessions.look(r.Session, r.ToolCall.ID)
	ask := func(r asking) *sayso.Ask {
		_, _, was := p.sessions.look(r.Session, r.ToolCall.ID)
		return r.ask(was.with(&r.ToolCall), p.agentName(), cwd, mode)
	}
	a := ask(r)
	if a == nil {
		return nil
	}
	again := r
	again.Options = slices.Clone(r.Options)
	return &question{
		ask:   a,
		reply: r.replyTo(a),
		read:  r.reader(a),
		again: func() *sayso.Ask { return ask(again) },
		deny:  r.denial,
		note:  r.note,
	}
}

// ask makes the ask of a permission request, or nil if it cannot be stored.
func (r *asking) ask(call toolCall, agent, cwd, mode string) *sayso.Ask {
	d := &described{toolCall: call, agent: agent, mcp: r.Meta.MCP}
	p := d.approval()
	if p.Cwd == "" {
		p.Cwd = cwd
	}
	p.Mode = mode
	p.Offers = r.offers(d)
	a := &sayso.Ask{Approval: p, Dialect: sayso.ApprovalDialect}
	a.Origin.Conversation, a.Origin.ToolCall = r.Session, r.ToolCall.ID
	a.Normalize()
	if a.Validate(sayso.Limits{}) != nil {
		return nil
	}
	return a
}

// selected is the reply that chooses an option.
func selected(id string) any {
	return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": id}}
}

// dismissed is the reply of a turn that was cancelled.
func dismissed() any { return map[string]any{"outcome": map[string]string{"outcome": "cancelled"}} }

// replyTo spells a decision as the reply. What decides nothing is a denial, and a turn
// that was cancelled is told as that.
func (r *asking) replyTo(a *sayso.Ask) func(*sayso.Outcome) any {
	return func(o *sayso.Outcome) any {
		if v := a.Verdict(o); v != nil {
			if at := slices.IndexFunc(r.Options, func(c option) bool { return c.offer == v.Offer.ID }); at >= 0 {
				return selected(r.Options[at].ID)
			}
		}
		return r.denial()
	}
}

// denial is the reply when nobody decides.
func (r *asking) denial() any {
	for _, c := range r.Options {
		if c.denies() {
			return selected(c.ID)
		}
	}
	return dismissed()
}

var errNotOffered = errors.New("acp: the editor chose an option that is not offered in the hub")

// reader reads the reply of the editor. It was sent all of the agent's request.
func (r *asking) reader(a *sayso.Ask) func(raw) (*sayso.Outcome, error) {
	return func(reply raw) (*sayso.Outcome, error) {
		if err := sayso.CheckJSON(reply); err != nil {
			return nil, err
		}
		var p picked
		if err := json.Unmarshal(reply, &p); err != nil {
			return nil, err
		}
		switch p.Outcome.Outcome {
		case "cancelled":
			return &sayso.Outcome{Status: sayso.StatusCancelled}, nil
		case "selected":
			at := slices.IndexFunc(r.Options, func(c option) bool { return c.ID == p.Outcome.OptionID && c.offer != "" })
			if at < 0 {
				return nil, errNotOffered
			}
			opened, _ := a.Approval.Unseen()
			o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{
				{QuestionID: sayso.VerdictQuestion, Selected: []string{r.Options[at].offer}, Opened: opened},
			}}
			return o, a.Check(o)
		}
		return nil, errors.New("acp: the reply to a permission request has no outcome")
	}
}

// note says what was chosen in the editor, where it is none of the offers.
func (r *asking) note(reply raw) string {
	var p picked
	json.Unmarshal(reply, &p)
	for _, c := range r.Options {
		if c.ID != p.Outcome.OptionID || p.Outcome.Outcome != "selected" {
			continue
		}
		switch name := "“" + sayso.SafeLine(c.Name) + "”"; {
		case c.allows():
			return "allowed in the editor: " + name
		case c.denies():
			return "denied in the editor: " + name
		default:
			return "decided in the editor: " + name
		}
	}
	return "answered in the editor, with an option that the agent did not offer"
}
