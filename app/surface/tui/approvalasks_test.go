package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
)

var claudeOffers = []sayso.Offer{
	{ID: "once", Act: sayso.ActAllow, Edit: true},
	{ID: "local", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: "Bash(npm run *)", Where: ".claude/settings.local.json"},
	{ID: "deny", Act: sayso.ActDeny, Message: true},
	{ID: "stop", Act: sayso.ActDeny, Stops: true, Message: true},
}

func approve(p *sayso.Approval) *sayso.Ask {
	p.Cwd, p.Mode, p.Offers = "/home/ann/payments-api", "default", claudeOffers
	o := origin
	o.Asker, o.Via = "ann-laptop", "socket"
	return &sayso.Ask{ID: "ask_may", Kind: sayso.AskApproval, Approval: p, Origin: o, AskedAt: start.Add(-2 * time.Minute)}
}

func command(text string) *sayso.Ask {
	return approve(sayso.NewApproval(sayso.ApproveShell, "Bash",
		fmt.Appendf(nil, `{"command":%q,"description":"Build the release and publish it"}`, text),
		&sayso.ApprovalOptions{Command: "command", Reason: "description"}))
}

func mayRun() *sayso.Ask { return command("npm run build &&\n  npm publish --tag next") }

// wideCommand is one line, the end of which matters.
func wideCommand() *sayso.Ask {
	return command("find . -name '*.test.js' -not -path './node_modules/*' -newer package-lock.json -print0 | xargs -0 npx eslint --fix --max-warnings 0 && rm -rf dist")
}

func mayEdit() *sayso.Ask {
	before := "import { pay } from './pay'\n\nexport const LIMIT = 100\nexport const CURRENCY = 'EUR'\n\nexport function charge(amount) {\n  return pay(amount, CURRENCY)\n}\n"
	after := strings.NewReplacer("LIMIT = 100\n", "LIMIT = 250\n", "  return pay(amount, CURRENCY)\n", "  if (amount > LIMIT) throw new Error(`${amount} is more than the limit of ${LIMIT} ${CURRENCY}`)\n  return pay(amount, CURRENCY)\n").Replace(before)
	a := approve(sayso.NewApproval(sayso.ApproveEdit, "Edit", []byte(`{"file_path":"src/charge.js","old_string":"…","new_string":"…"}`),
		&sayso.ApprovalOptions{Files: []sayso.FileChange{sayso.NewFileChange("src/charge.js", &before, &after)}, Covered: []string{"file_path", "old_string", "new_string"}}))
	a.Approval.Offers = []sayso.Offer{
		{ID: "once", Act: sayso.ActAllow}, {ID: "edits", Act: sayso.ActAllow, Mode: "acceptEdits"}, {ID: "deny", Act: sayso.ActDeny, Message: true},
	}
	return a
}

// mayWrite writes a file that is stored beside the ask.
func mayWrite() *sayso.Ask {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "%04d,EUR,%d.00\n", i+1, i*7%100)
	}
	text := b.String()
	return approve(sayso.NewApproval(sayso.ApproveEdit, "Write", fmt.Appendf(nil, `{"file_path":"test/rates.csv","content":%q}`, text),
		&sayso.ApprovalOptions{Files: []sayso.FileChange{sayso.NewFileChange("test/rates.csv", nil, &text)}, Covered: []string{"file_path", "content"}}))
}

func mayPlan() *sayso.Ask {
	a := approve(sayso.NewApproval(sayso.ApprovePlan, "ExitPlanMode",
		[]byte(`{"plan":"# Move the rates into the database\n\n1. Add a table `+"`rates`"+` with a migration\n2. Read it in **src/charge.js**, and keep the file as a fallback\n3. Delete the file in a later release\n"}`),
		&sayso.ApprovalOptions{Plan: "plan"}))
	a.Approval.Offers = []sayso.Offer{
		{ID: "default", Act: sayso.ActAllow}, {ID: "edits", Act: sayso.ActAllow, Mode: "acceptEdits"},
		{ID: "revise", Act: sayso.ActDeny, Label: "Keep planning", Message: true},
	}
	return a
}

// beside returns the function that fetches what is stored beside an ask: it is kept in
// a store before that is taken out.
func beside(a *sayso.Ask) func(*sayso.Ask) (*sayso.Ask, error) {
	kept := a.Clone()
	kept.Normalize()
	whole := map[string]string{}
	for _, c := range kept.Approval.Contents() {
		if c.Stored {
			whole[c.SHA256] = c.Text
		}
	}
	return func(a *sayso.Ask) (*sayso.Ask, error) { return a.WithContent(whole) }
}

// stripped is the ask as a store has it.
func stripped(a *sayso.Ask) *sayso.Ask {
	a.Normalize()
	for _, c := range a.Approval.Contents() {
		if c.Stored {
			c.Text = ""
		}
	}
	return a
}

func isAway(*sayso.Ask) (*sayso.Ask, error) { return nil, errors.New("the hub cannot be reached") }

// stays never comes back with it.
func stays(*sayso.Ask) (*sayso.Ask, error) {
	time.Sleep(10 * time.Second)
	return nil, errors.New("too late")
}

// mayEverywhere puts a text into every place that an agent fills of an approval.
func mayEverywhere(text string) *sayso.Ask {
	text = strings.ToValidUTF8(text, "\ufffd")
	before, after := "one\n"+text, text+"\n"+text+"\n+two"
	input, _ := json.Marshal(map[string]string{"command": text, "why": text, text: text}) // it can be spelled
	p := sayso.NewApproval(sayso.ApproveShell, "T"+text, input, &sayso.ApprovalOptions{
		Command: "command", Reason: "why", Files: []sayso.FileChange{sayso.NewFileChange(text, &before, &after)},
	})
	p.Shown = append(p.Shown, sayso.Part{Name: "Plan", Format: sayso.PartMarkdown, Content: sayso.NewContent("# " + text + "\n\n```\n" + text)})
	p.Cwd, p.Mode, p.Why, p.Missing = text, text, []string{text}, []string{text}
	p.Offers = []sayso.Offer{
		{ID: "a", Act: sayso.ActAllow, Label: "a" + text, Rule: text, Where: text, Mode: text, Edit: true},
		{ID: "b", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: text, Where: text}, {ID: "c", Act: sayso.ActDeny, Message: true},
	}
	return &sayso.Ask{
		ID: "ask_hostile", Kind: sayso.AskApproval, Approval: p, AskedAt: start,
		Origin: sayso.Origin{Host: text, Agents: []string{text}, Workspace: text, Branch: text},
	}
}
