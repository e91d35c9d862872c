package notify

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestCompose has what notes say, at every level of detail, in one file to read.
func TestCompose(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	ask := func(change func(*sayso.Ask)) *hub.Ticket {
		a := &sayso.Ask{ID: "a", AskedAt: now, Origin: sayso.Origin{Conversation: "talk", Host: "claude-code", Workspace: "payments", Asker: "ann-laptop", Via: "socket"}, Questions: []sayso.Question{{
			Header: "Database", Text: "Which database should it use?", Body: "It stores many rows.", Options: []sayso.Option{{Label: "PostgreSQL", Description: "a server", Recommended: true}, {Label: "SQLite"}},
		}}}
		if change != nil {
			change(a)
		}
		a.Normalize()
		return &hub.Ticket{Address: hub.AddressOf("home", a), Ask: a, Digest: a.Digest(), Revision: 1}
	}
	permission := func(change func(*sayso.Approval)) *hub.Ticket {
		return ask(func(a *sayso.Ask) {
			p := sayso.NewApproval(sayso.ApproveShell, "Bash", []byte(`{"command":"rm -rf build && make\nmake install","description":"Builds anew"}`), &sayso.ApprovalOptions{Command: "command", Reason: "description"})
			p.Cwd, p.Offers = "/home/ann/payments", []sayso.Offer{
				{ID: "once", Act: sayso.ActAllow}, {ID: "always", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: "Bash(make *)", Where: ".claude/settings.local.json"},
				{ID: "deny", Act: sayso.ActDeny, Message: true}, {ID: "stop", Act: sayso.ActDeny, Stops: true},
			}
			if change != nil {
				change(p)
			}
			a.Questions, a.Approval = nil, p
		})
	}
	allowed, denied := permission(nil), permission(nil)
	for t, id := range map[*hub.Ticket]string{allowed: "once", denied: "deny"} {
		t.Outcome = &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{id}}}, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"}}
	}
	closed := ask(nil)
	closed.Outcome = &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "telegram"}}
	elsewhere := ask(nil)
	elsewhere.Outcome = &sayso.Outcome{Status: sayso.StatusAnswered, Answers: closed.Outcome.Answers, By: sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "web"}}
	chat := Limits{Buttons: 8, Text: 4000, Words: true}
	var b strings.Builder
	for _, c := range []struct {
		name   string
		limits Limits
		asks   []*hub.Ticket
		opened bool
	}{
		{"a choice, in a chat", chat, []*hub.Ticket{ask(nil)}, false},
		{"a choice, in a chat, opened", chat, []*hub.Ticket{ask(nil)}, true},
		{"a choice, in a chat behind the lock screen", Limits{Buttons: 8, Text: 4000, Words: true, Behind: true}, []*hub.Ticket{ask(nil)}, false},
		{"a choice, by push", Limits{Buttons: 2, Picks: true, Again: true}, []*hub.Ticket{ask(nil)}, false},
		{"a choice, by mail", Limits{}, []*hub.Ticket{ask(nil)}, false},
		{"an asker that shows less", chat, []*hub.Ticket{ask(func(a *sayso.Ask) { a.Metadata = map[string]any{sayso.MetadataNotify: "count"} })}, false},
		{"an asker that wants to show more", chat, []*hub.Ticket{ask(func(a *sayso.Ask) { a.Metadata = map[string]any{sayso.MetadataNotify: "text"} })}, false},
		{"a dangerous option", chat, []*hub.Ticket{ask(func(a *sayso.Ask) { a.Questions[0].Options[1].Danger = true })}, true},
		{"a strong sign-in", chat, []*hub.Ticket{ask(func(a *sayso.Ask) { a.MinAssurance = sayso.AssuranceKey + 1 })}, true},
		{"a secret", chat, []*hub.Ticket{ask(func(a *sayso.Ask) { a.Questions[0].Options, a.Questions[0].Secret = nil, true })}, true},
		{"two questions", chat, []*hub.Ticket{ask(func(a *sayso.Ask) { a.Questions = append(a.Questions, sayso.Question{Text: "Which port?"}) })}, true},
		{"too long", Limits{Buttons: 8, Text: 60}, []*hub.Ticket{ask(nil)}, true},
		{"too many options", Limits{Buttons: 3, Text: 4000}, []*hub.Ticket{ask(nil)}, true},
		{"three asks", chat, []*hub.Ticket{ask(nil), ask(nil), ask(func(a *sayso.Ask) { a.Origin.Host = "codex" })}, false},
		{"answered here", chat, []*hub.Ticket{closed}, true},
		{"answered elsewhere, never opened", chat, []*hub.Ticket{elsewhere}, false},
		{"an approval, in a chat", chat, []*hub.Ticket{permission(nil)}, false},
		{"an approval, in a chat, opened", chat, []*hub.Ticket{permission(nil)}, true},
		{"an approval that takes no message", chat, []*hub.Ticket{permission(func(p *sayso.Approval) { p.Offers[2].Message = false })}, true},
		{"an approval with something stored beside it", chat, []*hub.Ticket{permission(func(p *sayso.Approval) {
			content := strings.Repeat("0123456789\n", 20_000)
			f := sayso.NewFileChange("/p/big.txt", nil, &content)
			*p = *sayso.NewApproval(sayso.ApproveEdit, "Write", []byte(`{}`), &sayso.ApprovalOptions{Files: []sayso.FileChange{f}})
			p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny}}
		})}, true},
		{"an approval, on a desktop", Limits{Buttons: 5, Text: 400, Again: true}, []*hub.Ticket{permission(nil)}, false},
		{"an approval, by push", Limits{Buttons: 2, Picks: true, Again: true}, []*hub.Ticket{permission(nil)}, false},
		{"an approval, by mail", Limits{}, []*hub.Ticket{permission(nil)}, false},
		{"an approval with a strong sign-in", chat, []*hub.Ticket{ask(func(a *sayso.Ask) {
			a.Questions, a.Approval, a.MinAssurance = nil, permission(nil).Ask.Approval, sayso.AssuranceKey+1
		})}, true},
		{"an approval and a question", chat, []*hub.Ticket{permission(nil), ask(nil)}, false},
		{"an approval that was allowed", chat, []*hub.Ticket{allowed}, true},
		{"an approval that was denied", chat, []*hub.Ticket{denied}, true},
	} {
		for d := DetailCount; d <= DetailText; d++ {
			n := Compose(&Contact{Person: "ann", Kind: Telegram, Account: "7", Assurance: sayso.AssuranceKey, Detail: d}, c.limits,
				&Matter{Key: "key", Token: "TOKEN", Alert: true, Opened: c.opened, Asks: c.asks, Inbox: "https://hub.example/", URL: "https://hub.example/ask/1", Now: now})
			fmt.Fprintf(&b, "=== %s, detail %d\nlock screen: %s | %s\n", c.name, d, n.Title, n.Body)
			if n.Text != "" {
				fmt.Fprintf(&b, "text: %s\n", strings.ReplaceAll(strings.TrimSpace(n.Text), "\n", "\n      "))
			}
			for _, button := range n.Buttons {
				j, _ := json.Marshal(button)
				fmt.Fprintf(&b, "button: %s\n", j)
			}
		}
	}
	const golden = "testdata/notes.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("%s differs (go test -update rewrites it): %v\n%s", golden, err, b.String())
	}
}
