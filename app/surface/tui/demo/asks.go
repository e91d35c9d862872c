package main

import (
	"time"

	"github.com/saysohq/sayso"
)

// asks returns the cases by name.
func asks(now time.Time) map[string]*sayso.Ask {
	database := sayso.Question{
		Header: "Database", Text: "Which database should the payments service use?",
		Body: "The service stores **~2 M rows a day** and must support `SELECT … FOR UPDATE`.",
		Options: []sayso.Option{
			{Label: "PostgreSQL (Recommended)", Description: "Battle-tested; already runs in production", Preview: "DATABASE_URL=postgres://db.internal/payments\npool_size = 20"},
			{Label: "SQLite", Description: "One file, no server; a single writer at a time", Preview: "db, err := sql.Open(\"sqlite\", \"payments.db\")"},
			{Label: "MongoDB", Description: "Document store"},
		},
	}
	features := sayso.Question{
		Header: "Features", Text: "Which features should the first release include?", Multi: true,
		Options: []sayso.Option{
			{Label: "Authentication", Description: "OAuth2 + JWT"},
			{Label: "REST API", Description: "OpenAPI document included"},
			{Label: "Admin dashboard", Description: "Read-only at first"},
		},
	}
	name := sayso.Question{Header: "Name", Text: "What should the service be called?"}
	branch := sayso.Question{
		Header: "Cleanup", Text: "What shall become of the branch release/1.x?",
		Options: []sayso.Option{
			{Label: "Keep it"},
			{Label: "Delete it", Description: "Also on the remote; cannot be undone", Danger: true},
		},
	}
	return map[string]*sayso.Ask{
		"command": command(now), "diff": diff(now),
		"service": {
			ID: "ask_service", AskedAt: now.Add(-2 * time.Minute),
			Origin:    sayso.Origin{Host: "claude-code", Workspace: "payments-api", Branch: "main"},
			Questions: []sayso.Question{database, features, name},
		},
		"database": {
			ID: "ask_database", AskedAt: now.Add(-20 * time.Second),
			Origin:    sayso.Origin{Host: "claude-code", Workspace: "ledger", Branch: "spike/storage"},
			Questions: []sayso.Question{database},
		},
		"danger": {
			ID: "ask_danger", AskedAt: now.Add(-3 * time.Hour),
			Origin:    sayso.Origin{Agents: []string{"planner", "janitor"}, Host: "crush", Workspace: "docs", Branch: "main"},
			Questions: []sayso.Question{branch},
		},
		"name": {
			ID: "ask_name", AskedAt: now.Add(-26 * time.Minute),
			Origin:    sayso.Origin{Host: "codex", Workspace: "shipping"},
			Questions: []sayso.Question{name},
		},
	}
}
