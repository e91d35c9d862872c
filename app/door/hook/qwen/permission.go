package qwen

import (
	"encoding/json"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/claudecall"
)

// The decisions that Qwen Code can carry out. It ignores rules and interrupts.
const (
	offerAllow = "allow"
	offerDeny  = "deny"
)

// claudeNames are the tools of Claude Code whose input these have, so that they are
// shown in the same way.
var claudeNames = map[string]string{
	"run_shell_command": "Bash", "edit": "Edit", "write_file": "Write", "notebook_edit": "NotebookEdit",
	"web_fetch": "WebFetch", "web_search": "WebSearch", "agent": "Agent",
}

// Approval returns what Qwen Code wants to do.
func (e *event) Approval(read func(path string) (*string, error)) *sayso.Approval {
	c := &claudecall.Call{Tool: e.Tool, Input: e.Input, Cwd: e.Dir, Mode: e.Mode, NoRules: true, Read: read}
	if name := claudeNames[e.Tool]; name != "" {
		c.Tool = name
	}
	p := c.Approval()
	p.Tool = e.Tool
	p.Offers = []sayso.Offer{
		{ID: offerAllow, Act: sayso.ActAllow, Edit: true},
		{ID: offerDeny, Act: sayso.ActDeny, Message: true},
	}
	return p
}

// decide spells a verdict. One that cannot be carried out denies.
func (e *event) decide(v *sayso.Verdict) *claudecall.Decision {
	switch {
	case v.Offer != nil && v.Offer.ID == offerAllow && v.Input == "":
		return &claudecall.Decision{Behavior: "allow"}
	case v.Offer != nil && v.Offer.ID == offerAllow:
		var o map[string]json.RawMessage
		if json.Unmarshal([]byte(v.Input), &o) != nil || o == nil {
			return claudecall.Deny("The user allowed this with a changed input that cannot be used, so it did not run.")
		}
		return &claudecall.Decision{Behavior: "allow", Input: json.RawMessage(v.Input)}
	case v.Offer != nil && v.Offer.ID == offerDeny:
		if sayso.Blank(v.Message) {
			return claudecall.Deny(claudecall.Denied)
		}
		return claudecall.Deny(v.Message)
	}
	return claudecall.Deny("The user's decision does not fit this request, so it did not run.")
}

// Notice says that Qwen Code's own dialog is open.
func (e *event) Notice() (sayso.Question, []string) {
	return sayso.Question{Header: "Terminal", Text: "Qwen Code waits for you at its terminal.", Body: sayso.SafeLine(e.Message)}, nil
}
