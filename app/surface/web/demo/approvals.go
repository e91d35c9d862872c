package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
)

// approve adds something that an agent wants to do, and returns the path of its page.
func (d *demo) approve(ctx context.Context, name string) (string, error) {
	p := approvals()[name]
	if p == nil {
		return "", fmt.Errorf("no approval %q", name)
	}
	p.Cwd, p.Mode = "/home/ann/payments-api", "default"
	t, err := d.submit(ctx, &sayso.Ask{
		AskedAt: time.Now().Add(-2 * time.Minute), Approval: p, Dialect: sayso.ApprovalDialect,
		Origin: sayso.Origin{Host: "claude-code", Workspace: "payments-api", Branch: "main", Asker: "ann-laptop", Via: "socket", ToolCall: name},
	})
	if err != nil {
		return "", err
	}
	return "/ask/" + d.hub.Handle(t.Address), nil
}

// approvals are those of Claude Code.
func approvals() map[string]*sayso.Approval {
	input := func(v any) []byte {
		b, _ := json.Marshal(v) // strings can be encoded
		return b
	}
	offers := func(rule string) []sayso.Offer {
		return []sayso.Offer{
			{ID: "once", Act: sayso.ActAllow, Edit: true},
			{ID: "local", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Label: "Yes, and don't ask again", Rule: rule, Where: ".claude/settings.local.json"},
			{ID: "deny", Act: sayso.ActDeny, Message: true},
			{ID: "stop", Act: sayso.ActDeny, Stops: true, Message: true},
		}
	}
	before := "package pay\n\nimport \"time\"\n\n// retries is how often a payment is tried.\nconst retries = 3\n\nfunc pause(n int) time.Duration {\n\treturn time.Second\n}\n"
	after := "package pay\n\nimport \"time\"\n\n// retries is how often a payment is tried.\nconst retries = 5\n\n// pause doubles with each failure.\nfunc pause(n int) time.Duration {\n\treturn time.Second << n\n}\n"
	test := "package pay\n\nimport \"testing\"\n\nfunc TestPause(t *testing.T) {\n\tif pause(2) != 4*time.Second {\n\t\tt.Error(pause(2))\n\t}\n}\n"
	large := strings.Repeat("INSERT INTO payments (id, amount, currency) VALUES (1, 995, 'EUR');\n", 3300) + "COMMIT;\n"
	var many []sayso.FileChange
	for i := range 50 {
		was, is := "one\ntwo\nthree\n", fmt.Sprintf("one\n%d\nthree\n", i)
		many = append(many, sayso.NewFileChange(fmt.Sprintf("internal/pay/file%d.go", i+1), &was, &is))
	}
	all := map[string]*sayso.Approval{
		"shell": sayso.NewApproval(sayso.ApproveShell, "Bash", input(map[string]any{
			"command":     "docker compose down --volumes && \\\n  docker compose up --detach --build --force-recreate --remove-orphans payments && \\\n  curl --fail --retry 10 --retry-connrefused http://localhost:8080/healthz > /tmp/health.json",
			"description": "Start the payments service again with an empty database",
		}), &sayso.ApprovalOptions{Command: "command", Reason: "description"}),
		"edit": sayso.NewApproval(sayso.ApproveEdit, "MultiEdit", input(map[string]any{"edits": "…"}), &sayso.ApprovalOptions{
			Files:   []sayso.FileChange{sayso.NewFileChange("internal/pay/retry.go", &before, &after), sayso.NewFileChange("internal/pay/retry_test.go", nil, &test)},
			Covered: []string{"edits"},
		}),
		"write": sayso.NewApproval(sayso.ApproveEdit, "Write", input(map[string]any{"file_path": "seed.sql", "content": large}), &sayso.ApprovalOptions{
			Files: []sayso.FileChange{sayso.NewFileChange("seed.sql", nil, &large)}, Covered: []string{"file_path", "content"},
		}),
		"files": sayso.NewApproval(sayso.ApproveEdit, "apply_patch", input(map[string]any{"patch": "…"}), &sayso.ApprovalOptions{Files: many, Covered: []string{"patch"}}),
		"plan": sayso.NewApproval(sayso.ApprovePlan, "ExitPlanMode", input(map[string]any{
			"plan": "# Retry failed payments\n\n1. Double the pause with each failure in `internal/pay/retry.go`.\n2. Add a test.\n3. Run `go test ./...`.\n\n**Not** part of this: payments that were refused.\n",
		}), &sayso.ApprovalOptions{Plan: "plan"}),
		"blind": sayso.NewApproval(sayso.ApproveTool, "Task", []byte(`{"id":7}`), nil),
	}
	for name, p := range all {
		p.Offers = offers("Edit(internal/pay/**)")
		switch name {
		case "shell":
			p.Offers, p.Why = offers("Bash(docker compose *)"), []string{"a rule says ask: Bash(docker *)"}
		case "plan":
			p.Offers = []sayso.Offer{
				{ID: "edits", Act: sayso.ActAllow, Label: "Yes, and auto-accept edits", Mode: "acceptEdits"},
				{ID: "default", Act: sayso.ActAllow, Label: "Yes, and approve edits one by one", Mode: "default"},
				{ID: "revise", Act: sayso.ActDeny, Label: "No, keep planning", Message: true},
			}
		case "blind":
			p.Missing, p.Offers = []string{"what the tool would be called with"}, p.Offers[2:]
		}
	}
	return all
}
