package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// hostile adds an ask with the texts in every field.
func (d *demo) hostile(ctx context.Context, list string) error {
	var texts []string
	if err := json.Unmarshal([]byte(list), &texts); err != nil {
		return err
	}
	all := strings.Join(texts, " ")
	a := &sayso.Ask{Dialect: all, Metadata: map[string]any{all: texts, "blocked": map[string]any{"tools": texts, "agents": texts}}, Origin: sayso.Origin{Agents: texts, Host: all, Workspace: all, Branch: all}}
	for i, f := range texts {
		a.Questions = append(a.Questions, sayso.Question{Header: f, Text: fmt.Sprint(i, " ", f), Body: f, Options: []sayso.Option{{Label: "1 " + f, Description: f, Preview: f}, {Label: "2 " + f, Preview: "# x\n\n" + f}}})
	}
	_, err := d.submit(ctx, a)
	return err
}

// history answers questions with the clock of the hub put back.
func history(ctx context.Context, h *hub.Hub, clock *atomic.Int64) error {
	defer clock.Store(0)
	agents := []string{"claude-code", "codex", "claude-code", "gemini", "claude-code", "opencode", "codex"}
	took := []time.Duration{20 * time.Second, 4 * time.Minute, 35 * time.Second, 9 * time.Minute, 48 * time.Minute, 3 * time.Hour, 2 * time.Minute, 11 * time.Hour, 50 * time.Second, 26 * time.Hour}
	for i := range 64 {
		back := time.Duration(i*i) * 12 * time.Hour / 40
		clock.Store(int64(-back))
		a := &sayso.Ask{
			AskedAt:   time.Now().Add(-back - took[i%len(took)]),
			Questions: []sayso.Question{{Text: fmt.Sprintf("May I merge change %d?", 400-i)}},
			Origin:    sayso.Origin{Host: agents[i%len(agents)], Workspace: "payments-api"},
		}
		a.Normalize()
		t, err := h.Submit(ctx, "local", a)
		if err != nil {
			return err
		}
		if _, err := h.Close(ctx, t, &sayso.Outcome{
			Status:  sayso.StatusAnswered,
			Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Other: "Yes"}},
			By:      sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "terminal"},
		}, nil); err != nil {
			return err
		}
	}
	return nil
}

func samples(now time.Time) []*sayso.Ask {
	return []*sayso.Ask{
		{
			AskedAt: now.Add(-3 * time.Hour),
			Origin:  sayso.Origin{Agents: []string{"planner", "researcher"}, Workspace: "docs", Branch: "main"},
			Questions: []sayso.Question{{Header: "Licence", Text: "Which licence should the new repository carry?", Options: []sayso.Option{
				{Label: "MIT"}, {Label: "Apache-2.0 (Recommended)", Description: "With a patent grant"}}}},
		},
		{
			AskedAt: now.Add(-4 * time.Minute),
			Origin:  sayso.Origin{Host: "claude-code", Workspace: "payments-api", Branch: "main"},
			Questions: []sayso.Question{
				{Header: "Database", Text: "Which database should the payments service use?",
					Body: "The service stores **~2 M rows a day** and must support `SELECT … FOR UPDATE`. See [the design note](https://example.com/x).\n\n![track](https://evil.example/p.png)",
					Options: []sayso.Option{
						{Label: "PostgreSQL (Recommended)", Description: "Battle-tested relational DB; already runs in production", Preview: "services:\n  db:\n    image: postgres:17\n    volumes: [pg:/var/lib/postgresql/data]"},
						{Label: "SQLite", Description: "One file, no server; a single writer at a time", Preview: "db, err := sql.Open(\"sqlite\", \"payments.db\")"},
						{Label: "MongoDB", Description: "Document store"}}},
				{Header: "Features", Text: "Which features should the first release include?", Multi: true, Options: []sayso.Option{
					{Label: "Authentication", Description: "OAuth2 + JWT"}, {Label: "REST API", Description: "OpenAPI spec included"}, {Label: "Admin dashboard"}}},
				{Header: "Name", Text: "What should the service be called?"},
			},
		},
		{
			AskedAt: now.Add(-1 * time.Minute),
			Origin:  sayso.Origin{Host: "codex", Workspace: "infra", Branch: "k8s-upgrade"},
			Questions: []sayso.Question{{Header: "Upgrade", Text: "Node pool B still runs 1.29. Drain it now, or wait for the nightly window?", Options: []sayso.Option{
				{Label: "Drain now", Description: "About 6 minutes of reduced capacity", Danger: true}, {Label: "Wait for 02:00 UTC", Recommended: true}}}},
		},
	}
}
