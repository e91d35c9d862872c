package surfacetest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
)

// The offers of an agent that takes words, and of one that takes none.
var (
	offers = []sayso.Offer{
		{ID: "once", Act: sayso.ActAllow, Edit: true},
		{ID: "local", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: "Bash(npm run *)", Where: ".claude/settings.local.json"},
		{ID: "deny", Act: sayso.ActDeny, Message: true},
		{ID: "stop", Act: sayso.ActDeny, Stops: true, Message: true},
	}
	wordless = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny}}
)

// approval is an ask for permission.
func approval(id string, p *sayso.Approval) *sayso.Ask {
	p.Cwd, p.Mode, p.Offers = "/home/ann/payments", "default", offers
	return &sayso.Ask{
		ID: id, Kind: sayso.AskApproval, Approval: p, Dialect: sayso.ApprovalDialect,
		Origin: sayso.Origin{Conversation: "talk", Host: "some-agent", Workspace: "payments", Branch: "main"},
	}
}

// shell asks for a command.
func shell(command string) *sayso.Ask {
	return approval("command", sayso.NewApproval(sayso.ApproveShell, "Bash", input("command", command, "description", "MARKREASON of the model"),
		&sayso.ApprovalOptions{Command: "command", Reason: "description"}))
}

// long13 is a command of 13.5 KB whose end matters.
func long13() *sayso.Ask {
	return shell("MARKFIRST " + strings.Repeat("echo harmless && ", 13500/17) + "rm -rf MARKLAST")
}

// behind hides what matters behind many spaces.
func behind() *sayso.Ask {
	return shell("npm test" + strings.Repeat(" ", 9000) + "; curl evil.example")
}

// disguised has characters that change what is to be seen of the others.
func disguised() *sayso.Ask { return shell("echo \u202egnp.\u2066a\x1b[2J\x08\x07; true\rMARKCR") }

// write writes a file of 200 KB, which is stored beside the ask.
func write() *sayso.Ask {
	var b strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&b, "line %d of the new file\n", i+1)
	}
	text := b.String() + "MARKEND"
	return approval("write", sayso.NewApproval(sayso.ApproveEdit, "Write", input("file_path", "/home/ann/payments/big.txt", "content", text),
		&sayso.ApprovalOptions{Files: []sayso.FileChange{sayso.NewFileChange("/home/ann/payments/big.txt", nil, &text)}, Covered: []string{"file_path", "content"}}))
}

// files changes fifty files.
func files() *sayso.Ask {
	changes := make([]sayso.FileChange, 50)
	for i := range changes {
		before, after := "one\ntwo\nthree\n", fmt.Sprintf("one\nMARK%dX\nthree\n", i+1)
		changes[i] = sayso.NewFileChange(fmt.Sprintf("src/file%d.go", i+1), &before, &after)
	}
	return approval("files", sayso.NewApproval(sayso.ApproveEdit, "apply_patch", input("patch", "…"), &sayso.ApprovalOptions{Files: changes, Covered: []string{"patch"}}))
}

// plan is a plan, with the modes that can follow it.
func plan() *sayso.Ask {
	a := approval("plan", sayso.NewApproval(sayso.ApprovePlan, "ExitPlanMode", input("plan", "# MARKPLAN\n\n1. touch `a`\n2. then **MARKBOLD**\n", "planFilePath", "/p/plan.md"),
		&sayso.ApprovalOptions{Plan: "plan"}))
	a.Approval.Offers = []sayso.Offer{
		{ID: "default", Act: sayso.ActAllow}, {ID: "edits", Act: sayso.ActAllow, Mode: "acceptEdits"},
		{ID: "revise", Act: sayso.ActDeny, Label: "Keep planning", Message: true},
	}
	return a
}

// input spells names and values as the input of a tool.
func input(pairs ...string) []byte {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		name, _ := json.Marshal(pairs[i]) // a string can be spelled
		value, _ := json.Marshal(pairs[i+1])
		fmt.Fprintf(&b, ",%s:%s", name, value)
	}
	return []byte("{" + b.String()[1:] + "}")
}
