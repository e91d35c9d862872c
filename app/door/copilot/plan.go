package copilot

import (
	"context"
	"encoding/json"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
)

// plan is a plan that the agent would carry out.
type plan struct {
	ID      string `json:"requestId"`
	Call    string `json:"toolCallId"`
	Summary string `json:"summary"`
	Text    string `json:"planContent"` // of the plan's file; empty: there is none
}

// planned is what Copilot is told of a plan.
type planned struct {
	Approved bool   `json:"approved"`
	Action   string `json:"selectedAction,omitempty"`
	Feedback string `json:"feedback,omitempty"`
}

// plan carries a plan to the hub. Copilot asks before each step of one that is approved
// here.
func (d *door) plan(p *bridge.Peer, e *event) {
	var r plan
	if json.Unmarshal(e.Data, &r) != nil || r.ID == "" || sayso.Blank(r.Summary) && sayso.Blank(r.Text) {
		return
	}
	input, shown := object("summary", r.Summary), "summary"
	if !sayso.Blank(r.Text) {
		input, shown = object("summary", r.Summary, "plan", r.Text), "plan"
	}
	a := sayso.NewApproval(sayso.ApprovePlan, "exit_plan_mode", input, &sayso.ApprovalOptions{Plan: shown})
	a.Cwd = e.Dir
	a.Offers = []sayso.Offer{
		{ID: "approve", Act: sayso.ActAllow, Label: "Approve the plan, and ask before each step", Mode: "interactive"},
		{ID: "revise", Act: sayso.ActDeny, Label: "Revise the plan", Message: true},
	}
	from := bridge.From{Session: e.Session, Call: r.Call, Dir: e.Dir}
	if from.Call == "" {
		from.Call = r.ID
	}
	ask, err := d.bridge.Approval(a, from)
	if err != nil {
		return
	}
	d.bridge.Open(&bridge.Request{ID: r.ID, Ask: ask, Reply: func(ctx context.Context, t *bridge.Told) error {
		said := planned{Approved: true, Action: "interactive"}
		switch {
		case t.Verdict == nil:
			return nil
		case !t.Verdict.Allowed() && sayso.Blank(t.Verdict.Message):
			said = planned{Feedback: "The user does not want this plan."}
		case !t.Verdict.Allowed():
			said = planned{Feedback: t.Verdict.Message}
		}
		return reply(ctx, p, methodPlan, r.ID, said)
	}})
}

// planDone closes a plan that Copilot has a decision about. It does not tell who decided.
func (d *door) planDone(e *event) {
	var r plan
	if json.Unmarshal(e.Data, &r) == nil {
		d.bridge.Settled(r.ID, nil)
	}
}
