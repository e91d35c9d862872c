package claudecall

import (
	"encoding/json"
	"strings"

	"github.com/saysohq/sayso"
)

// Call is a tool call that Claude Code needs permission for.
type Call struct {
	Tool  string
	Input json.RawMessage // the tool's input, as Claude Code spells it
	Cwd   string          // the directory of the session
	Mode  string          // the permission mode of the session

	// Suggestions are the permissions that Claude Code would add to its own, one
	// offer or more for each.
	Suggestions []json.RawMessage

	// NoRules says that the answer cannot add permissions, or that it is not known
	// whether it can.
	NoRules bool

	// Read returns the content of a file, nil if there is none. Default: files
	// cannot be read here.
	Read func(path string) (*string, error)
}

// The tools of Claude Code that are known here.
const (
	toolPlan = "ExitPlanMode"
)

// Approval returns what a person is asked.
func (c *Call) Approval() *sayso.Approval {
	o := &sayso.ApprovalOptions{}
	kind := sayso.ApproveTool
	var missing []string
	switch {
	case c.Tool == "Bash":
		kind, o.Command, o.Reason = sayso.ApproveShell, "command", "description"
	case c.Tool == "Task" || c.Tool == "Agent":
		o.Reason = "description"
	case c.Tool == "Edit" || c.Tool == "MultiEdit" || c.Tool == "Write" || c.Tool == "NotebookEdit":
		kind = sayso.ApproveEdit
		missing = c.change(o)
	case c.Tool == "WebFetch" || c.Tool == "WebSearch":
		kind = sayso.ApproveFetch
	case strings.HasPrefix(c.Tool, "mcp__"):
		kind = sayso.ApproveMCP
	case c.Tool == toolPlan:
		kind, o.Plan = sayso.ApprovePlan, "plan"
		if sayso.Blank(c.member("plan")) {
			missing = append(missing, "the plan")
		}
	}
	p := sayso.NewApproval(kind, c.Tool, c.Input, o)
	p.Cwd, p.Mode, p.Missing = c.Cwd, c.Mode, missing
	if c.Tool == "Bash" && objectOf(c.Input).is("dangerouslyDisableSandbox") {
		p.Why = append(p.Why, "it would run outside the sandbox")
	}
	for _, offer := range c.offers() {
		p.Offers = append(p.Offers, offer.Offer)
	}
	return p
}

// object is a JSON object by the exact names of its members. Decoding into a struct
// would take CONTENT for content, and show the one while the other is written.
type object map[string]json.RawMessage

func objectOf(data []byte) object {
	var o object
	if json.Unmarshal(data, &o) != nil {
		return nil
	}
	return o
}

// text returns a text of the object, nil if there is none of that name.
func (o object) text(name string) *string {
	var s *string
	if json.Unmarshal(o[name], &s) != nil {
		return nil
	}
	return s
}

// is reports whether a member of the object is true.
func (o object) is(name string) bool {
	var b bool
	return json.Unmarshal(o[name], &b) == nil && b
}

// member returns a text of the input, or "".
func (c *Call) member(name string) string {
	if s := objectOf(c.Input).text(name); s != nil {
		return *s
	}
	return ""
}
