package cli_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
)

// permission ID COMMAND asks for the permission to run a command, permission -write ID
// for the permission to write a file of 60 KB, and permission -plan ID for a plan, as an
// agent that takes no words.
func permission(ts *testscript.TestScript, _ bool, args []string) {
	c, err := client.New(ts.Getenv("SOCKET"), nil)
	ts.Check(err)
	defer c.Close()
	_, err = c.Submit(context.Background(), mayI(args...))
	ts.Check(err)
}

func mayI(args ...string) *sayso.Ask {
	offers := []sayso.Offer{
		{ID: "once", Act: sayso.ActAllow, Edit: true},
		{ID: "local", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: "Bash(npm run *)", Where: ".claude/settings.local.json"},
		{ID: "deny", Act: sayso.ActDeny, Message: true},
		{ID: "stop", Act: sayso.ActDeny, Stops: true, Message: true},
	}
	var p *sayso.Approval
	switch args[0] {
	case "-write":
		text := strings.Repeat("0123456789\n", 5000) + "MARKEND"
		input, _ := json.Marshal(map[string]string{"file_path": "big.txt", "content": text})
		p = sayso.NewApproval(sayso.ApproveEdit, "Write", input, &sayso.ApprovalOptions{
			Files: []sayso.FileChange{sayso.NewFileChange("big.txt", nil, &text)}, Covered: []string{"file_path", "content"},
		})
	case "-plan":
		p = sayso.NewApproval(sayso.ApprovePlan, "exit_plan_mode", []byte(`{"plan":"1. touch a"}`), &sayso.ApprovalOptions{Plan: "plan"})
		offers = []sayso.Offer{{ID: "y", Act: sayso.ActAllow, Label: "Yes, go"}, {ID: "e", Act: sayso.ActAllow, Mode: "acceptEdits"}, {ID: "n", Act: sayso.ActDeny, Label: "No"}}
	default:
		input, _ := json.Marshal(map[string]string{"command": args[1], "description": "to build it"})
		p = sayso.NewApproval(sayso.ApproveShell, "Bash", input, &sayso.ApprovalOptions{Command: "command", Reason: "description"})
	}
	p.Offers, p.Cwd = offers, "/home/ann/payments"
	id := args[0]
	if strings.HasPrefix(id, "-") {
		id = args[1]
	}
	return &sayso.Ask{ID: id, Kind: sayso.AskApproval, Approval: p, Dialect: "permission", Origin: sayso.Origin{Host: "claude-code"}}
}

// TestPermissionDialog: at a terminal, "sayso answer" shows what is stored beside a
// request, drawn or line by line, and allows it then.
func TestPermissionDialog(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	if code := codeOf(m.command("list").Run()); code != 0 { // it starts the hub
		t.Fatal(code)
	}
	c, err := client.New(m.starter.Places.Socket(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, id := range []string{"drawn", "lines"} {
		ticket, err := c.Submit(t.Context(), mayI("-write", id))
		if err != nil {
			t.Fatal(err)
		}
		screen := newTerminal(t)
		if id == "drawn" {
			cmd := m.command("answer", id)
			screen.start(cmd)
			screen.waitFor("Create big.txt")
			if code := codeOf(screen.until(cmd, "\x0f", "\x1b[F", "1", "\r")); code != 0 {
				t.Errorf("%s: exit code %d: %s", id, code, screen.text())
			}
		} else if code := screen.answers(m.command("answer", id, "--plain"), [2]string{"Your choice (a number", "1\n"}); code != 0 {
			t.Errorf("%s: exit code %d", id, code)
		}
		screen.waitFor("MARKEND")
		now, err := c.Get(t.Context(), ticket.Handle)
		if err != nil {
			t.Fatal(err)
		}
		if v := now.Ask.Verdict(now.Outcome); !v.Allowed() || v.Unseen > 0 || len(now.Outcome.Answers[0].Opened) != 1 {
			t.Errorf("%s: decided %+v by %+v", id, v, now.Outcome)
		}
	}
}
