package codex

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// grant is a request for rights: the network, or folders.
func grant(p *params) *permission {
	type granted struct {
		Permissions json.RawMessage `json:"permissions"`
		Scope       string          `json:"scope"`
	}
	input := object{}
	known := input.addRaw("permissions", p.Permissions)
	r := &permission{approval: sayso.NewApproval(sayso.ApproveGrant, "permissions", input.bytes(), nil), replies: map[string]any{}}
	r.approval.Cwd, r.approval.Reason = p.Cwd, p.Reason
	if !known {
		r.approval.Missing = []string{"the rights"}
	} else {
		r.offer(sayso.Offer{ID: "turn", Act: sayso.ActAllow, Label: "Allow for this turn"}, granted{p.Permissions, "turn"})
		r.offer(sayso.Offer{ID: "session", Act: sayso.ActAllow, Scope: sayso.ScopeSession}, granted{p.Permissions, "session"})
	}
	r.refusal = granted{json.RawMessage("{}"), "turn"} // none of them
	r.offer(sayso.Offer{ID: "decline", Act: sayso.ActDeny}, r.refusal)
	return r
}

// tool is a call of a tool of an MCP server. i is the call, if it is known.
func tool(p *params, home string, i *item) *permission {
	if p.Meta.Kind != mcpApproval || p.Server == ownServer {
		return nil
	}
	type reply struct {
		Action  string            `json:"action"`
		Content json.RawMessage   `json:"content"`
		Meta    map[string]string `json:"_meta,omitempty"`
	}
	input, name := p.Meta.Params, quoted(p.Message)
	if i != nil {
		name = i.Tool
		if len(input) == 0 {
			input = i.Arguments
		}
	}
	known := len(input) > 0 && name != ""
	if name == "" {
		name = p.Meta.Title
	}
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	r := &permission{approval: sayso.NewApproval(sayso.ApproveMCP, "mcp__"+p.Server+"__"+name, input, nil), replies: map[string]any{}}
	if !known {
		r.approval.Missing = []string{"the arguments"}
	} else {
		r.offer(sayso.Offer{ID: "once", Act: sayso.ActAllow}, reply{Action: "accept", Content: json.RawMessage("{}")})
		if slices.Contains(p.Meta.Persist, "session") {
			r.offer(sayso.Offer{ID: "session", Act: sayso.ActAllow, Scope: sayso.ScopeSession},
				reply{"accept", json.RawMessage("{}"), map[string]string{"persist": "session"}})
		}
		rule := fmt.Sprintf(`mcp_servers.%s.tools.%s.approval_mode = "approve"`, p.Server, name)
		if slices.Contains(p.Meta.Persist, "always") && sayso.SafeLine(rule) == rule && len(rule) <= maxRule {
			r.offer(sayso.Offer{
				ID: "always", Act: sayso.ActAllow, Scope: sayso.ScopeAlways,
				Rule: rule, Where: filepath.Join(home, "config.toml") + " (all projects)",
			}, reply{"accept", json.RawMessage("{}"), map[string]string{"persist": "always"}})
		}
	}
	r.refusal = reply{Action: "decline", Content: json.RawMessage("null")}
	r.offer(sayso.Offer{ID: "decline", Act: sayso.ActDeny}, r.refusal)
	return r
}

// quoted returns what stands in quotes in Codex's question about a tool: its name.
func quoted(s string) string {
	_, rest, _ := strings.Cut(s, ` run tool "`)
	name, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return ""
	}
	return name
}
