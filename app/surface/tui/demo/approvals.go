package main

import (
	"strings"
	"time"

	"github.com/saysohq/sayso"
)

// approval is what an agent wants to do, with the choices of Claude Code.
func approval(now time.Time, p *sayso.Approval, rule string) *sayso.Ask {
	p.Cwd, p.Mode = "/home/ann/payments-api", "default"
	p.Offers = []sayso.Offer{
		{ID: "once", Act: sayso.ActAllow, Edit: true},
		{ID: "local", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: rule, Where: ".claude/settings.local.json"},
		{ID: "deny", Act: sayso.ActDeny, Message: true},
	}
	return &sayso.Ask{
		ID: "ask_" + string(p.Kind), Kind: sayso.AskApproval, Approval: p, AskedAt: now.Add(-40 * time.Second),
		Origin: sayso.Origin{Asker: "ann-laptop", Via: "socket", Host: "claude-code", Workspace: "payments-api", Branch: "main"},
	}
}

func command(now time.Time) *sayso.Ask {
	return approval(now, sayso.NewApproval(sayso.ApproveShell, "Bash",
		[]byte(`{"command":"npm run build &&\n  npm publish --tag next --access public","description":"Publish a release candidate"}`),
		&sayso.ApprovalOptions{Command: "command", Reason: "description"}), "Bash(npm run build:*)")
}

func diff(now time.Time) *sayso.Ask {
	before := "export const LIMIT = 100\nexport const CURRENCY = 'EUR'\n\nexport function charge(amount) {\n  return pay(amount, CURRENCY)\n}\n"
	after := strings.NewReplacer("100\n", "250\n", "  return", "  if (amount > LIMIT) throw new LimitError(amount)\n  return").Replace(before)
	return approval(now, sayso.NewApproval(sayso.ApproveEdit, "Edit", []byte(`{"file_path":"src/charge.js","old_string":"…","new_string":"…"}`),
		&sayso.ApprovalOptions{Files: []sayso.FileChange{sayso.NewFileChange("src/charge.js", &before, &after)}, Covered: []string{"file_path", "old_string", "new_string"}}), "Edit(src/**)")
}
