package codex

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
)

// maxRule is how long a rule may be that is offered, in bytes. In a longer one the end
// could be overlooked.
const maxRule = 1000

// permission is a request for permission, and what Codex is told for each offer.
type permission struct {
	approval *sayso.Approval
	replies  map[string]any // by the id of the offer
	refusal  any            // if something else would run now than was shown
}

// offer adds a decision, and what Codex is told then.
func (p *permission) offer(o sayso.Offer, reply any) {
	p.approval.Offers = append(p.approval.Offers, o)
	p.replies[o.ID] = reply
}

// decision is the reply to a request about a command or files.
type decision struct {
	Decision any `json:"decision"`
}

// permissionOf makes the approval of a request; nil if it is none. home is Codex's
// folder, find returns the step of the turn that the request is about, or nil.
func permissionOf(method string, p *params, home string, find func(func(*item) bool) *item) *permission {
	switch method {
	case askCommand:
		return command(p, home)
	case askFiles:
		return files(p, find(func(i *item) bool { return i.ID == p.ItemID && i.Type == "fileChange" }))
	case askGrant:
		return grant(p)
	case askForm:
		return tool(p, home, find(p.isCall))
	}
	return nil
}

// isCall reports whether a step is the call of a tool that a form asks about.
func (p *params) isCall(i *item) bool {
	return i.Type == "mcpToolCall" && i.Server == p.Server && i.Status == "inProgress" &&
		(len(p.Meta.Params) == 0 || sameJSON(i.Arguments, p.Meta.Params))
}

func command(p *params, home string) *permission {
	input := object{}
	known := p.Command != nil && !sayso.Blank(*p.Command)
	kind, name := sayso.ApproveShell, "commandExecution"
	if known {
		input.add("command", *p.Command)
	}
	if p.Kind != "" && p.Kind != "command" {
		input.add("kind", p.Kind) // words for a program that runs already
	}
	input.addRaw("additionalPermissions", p.Additional)
	if input.addRaw("networkApprovalContext", p.Network) && !known {
		kind, name, known = sayso.ApproveFetch, "network", true
	}
	r := &permission{approval: sayso.NewApproval(kind, name, input.bytes(), &sayso.ApprovalOptions{Command: "command"}), replies: map[string]any{}}
	r.approval.Cwd, r.approval.Reason = p.Cwd, p.Reason
	if !known {
		r.approval.Missing = []string{"the command"}
	} else {
		r.offer(sayso.Offer{ID: "once", Act: sayso.ActAllow}, decision{"accept"})
		r.offer(sayso.Offer{ID: "session", Act: sayso.ActAllow, Scope: sayso.ScopeSession}, decision{"acceptForSession"})
		for i, d := range p.Decisions {
			if rule, ok := prefixRule(d); ok {
				r.offer(sayso.Offer{
					ID: fmt.Sprintf("rule_%d", i+1), Act: sayso.ActAllow, Scope: sayso.ScopeAlways,
					Rule: rule, Where: filepath.Join(home, "rules", "default.rules") + " (all projects)",
				}, decision{d})
			}
		}
	}
	r.deny()
	return r
}

// deny adds the two ways to say no: Codex goes on without it, or its turn ends.
func (p *permission) deny() {
	p.refusal = decision{"decline"}
	p.offer(sayso.Offer{ID: "decline", Act: sayso.ActDeny}, p.refusal)
	p.offer(sayso.Offer{ID: "cancel", Act: sayso.ActDeny, Stops: true}, decision{"cancel"})
}

// prefixRule returns the rule that a decision stores, as Codex writes it. One that a
// person cannot read whole is not offered.
func prefixRule(d json.RawMessage) (string, bool) {
	var a struct {
		Amends *struct {
			Words []string `json:"execpolicy_amendment"`
		} `json:"acceptWithExecpolicyAmendment"`
	}
	if json.Unmarshal(d, &a) != nil || a.Amends == nil || len(a.Amends.Words) == 0 {
		return "", false
	}
	var words []string
	for _, w := range a.Amends.Words {
		if sayso.SafeLine(w) != w {
			return "", false
		}
		words = append(words, strconv.Quote(w))
	}
	rule := "prefix_rule(pattern=[" + strings.Join(words, ", ") + `], decision="allow")`
	return rule, len(rule) <= maxRule && sayso.SafeLine(rule) == rule
}

// files is a change of files. Codex tells it before it asks, as a step of the turn.
func files(p *params, i *item) *permission {
	input := object{}
	var changes []change
	if i != nil {
		changes = i.Changes
		input.add("changes", changes)
	}
	if p.GrantRoot != "" {
		input.add("grantRoot", p.GrantRoot)
	}
	opts := &sayso.ApprovalOptions{Covered: []string{"changes"}}
	var hunks []sayso.Part
	var updates []sayso.FileChange
	for _, c := range changes {
		switch {
		case c.Kind.Type == "add":
			opts.Files = append(opts.Files, sayso.NewFileChange(c.Path, nil, &c.Diff))
		case c.Kind.Type == "delete":
			opts.Files = append(opts.Files, sayso.NewFileChange(c.Path, &c.Diff, nil))
		default:
			f := sayso.FileChange{Path: c.Path, Op: sayso.FileUpdate}
			f.Added, f.Removed = count(c.Diff)
			updates = append(updates, f)
			hunks = append(hunks, sayso.Part{Name: c.Path, Format: sayso.PartDiff, Content: sayso.NewContent(c.Diff)})
			if c.Kind.Type != "update" || c.Kind.Move != nil {
				opts.Covered = nil // something that the diff does not show
			}
		}
	}
	r := &permission{approval: sayso.NewApproval(sayso.ApproveEdit, "apply_patch", input.bytes(), opts), replies: map[string]any{}}
	a := r.approval
	a.Files = append(a.Files, updates...)
	if opts.Covered != nil && p.GrantRoot == "" && len(opts.Files) == 0 && len(hunks) > 0 {
		a.Shown = nil // the hunks are all of it
	}
	a.Shown = append(hunks, a.Shown...)
	a.Reason = p.Reason
	if len(changes) == 0 {
		a.Missing = []string{"the changes"}
	} else {
		r.offer(sayso.Offer{ID: "once", Act: sayso.ActAllow}, decision{"accept"})
		r.offer(sayso.Offer{ID: "session", Act: sayso.ActAllow, Scope: sayso.ScopeSession}, decision{"acceptForSession"})
	}
	r.deny()
	return r
}

// count returns how many lines hunks add and remove.
func count(hunks string) (added, removed int) {
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}
