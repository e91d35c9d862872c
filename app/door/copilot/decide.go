package copilot

import (
	"encoding/json"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
)

// decision is a decision as Copilot takes it.
type decision struct {
	Kind     string `json:"kind"`
	Approval any    `json:"approval,omitempty"` // what holds for the session
	Feedback string `json:"feedback,omitempty"` // for the model; without it the turn ends
}

// denied is what the model is told of a denial without words.
const denied = "Go on without it."

// offer is a decision that Copilot carries out.
type offer struct {
	sayso.Offer
	decision
}

// maxRule is how long a rule may be that is offered, in bytes. In a longer one the end
// could be overlooked.
const maxRule = 1000

// offers are the decisions about a request, and no others.
func (r *permission) offers() []offer {
	all := []offer{{sayso.Offer{ID: "once", Act: sayso.ActAllow}, decision{Kind: "approve-once"}}}
	if rule, approval := r.lasting(); approval != nil && len(rule) <= maxRule && sayso.SafeLine(rule) == rule {
		all = append(all, offer{
			sayso.Offer{ID: "session", Act: sayso.ActAllow, Scope: sayso.ScopeSession, Rule: rule, Where: "this session of Copilot"},
			decision{Kind: "approve-for-session", Approval: approval},
		})
	}
	return append(all,
		offer{sayso.Offer{ID: "deny", Act: sayso.ActDeny, Message: true}, decision{Kind: "reject", Feedback: denied}},
		offer{sayso.Offer{ID: "stop", Act: sayso.ActDeny, Stops: true}, decision{Kind: "reject"}})
}

// lasting is what would be allowed for the rest of the session: the rule as Copilot's
// options spell it, and as its reply does; nil if there is none.
func (r *permission) lasting() (string, any) {
	switch p := r.Prompt; {
	case r.Kind == "shell" && p.Kind == "commands" && r.Lasting && len(p.Identifiers) > 0:
		return "shell(" + strings.Join(p.Identifiers, "), shell(") + ")", map[string]any{"kind": "commands", "commandIdentifiers": p.Identifiers}
	case r.Kind == "write" && p.Kind == "write" && r.Lasting:
		return "write", map[string]any{"kind": "write"}
	case r.Kind == "mcp" && p.Kind == "mcp" && r.Server != "" && p.Tool != "":
		return r.Server + "(" + p.Tool + ")", map[string]any{"kind": "mcp", "serverName": r.Server, "toolName": p.Tool}
	}
	return "", nil
}

// decide spells what came of a request; nil if nothing was decided.
func (r *permission) decide(all []offer, t *bridge.Told) *decision {
	if t.Changed {
		what := "What this would do"
		if r.File != "" {
			what = sayso.SafeLine(r.File)
		}
		return &decision{Kind: "reject", Feedback: what + " changed after it was shown to the user, so their decision was not used and nothing ran. Read it again and, if it is still needed, try again."}
	}
	for i := range all {
		if t.Verdict == nil || t.Verdict.Offer == nil || all[i].ID != t.Verdict.Offer.ID {
			continue
		}
		d := all[i].decision
		if d.Feedback != "" && !sayso.Blank(t.Verdict.Message) {
			d.Feedback = t.Verdict.Message
		}
		return &d
	}
	return nil
}

// decided closes a request that has a decision in Copilot.
func (d *door) decided(e *event) {
	var c struct {
		Request string `json:"requestId"`
		Source  string `json:"decisionSource"`
		Result  struct {
			Kind     string `json:"kind"`
			Feedback string `json:"feedback"`
		} `json:"result"`
	}
	if json.Unmarshal(e.Data, &c) != nil {
		return
	}
	d.mu.Lock()
	a := d.permits[c.Request]
	delete(d.permits, c.Request)
	d.mu.Unlock()
	choose := func(id, words string) {
		o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{id}, Other: words}}}
		if a.Check(o) != nil {
			o = nil
		}
		d.bridge.Settled(c.Request, o)
	}
	switch kind := c.Result.Kind; {
	case a == nil:
	case c.Source != "human_response":
		d.bridge.Dropped(c.Request, "decided by Copilot")
	case kind == "approved":
		choose("once", "")
	case kind == "approved-for-session":
		choose("session", "")
	case kind == "denied-interactively-by-user" && c.Result.Feedback != "":
		choose("deny", c.Result.Feedback)
	case kind == "denied-interactively-by-user":
		choose("stop", "")
	default:
		d.bridge.Settled(c.Request, nil)
	}
}
