package doortest

import (
	"os"
	"strings"
	"testing"
)

// acpTable is what can be decided about each agent, from what the tests run.
func acpTable() string {
	yes := func(b bool) string {
		if b {
			return "✓"
		}
		return "–"
	}
	code := func(s string) string {
		if s == "" {
			return "–"
		}
		return "`" + s + "`"
	}
	rows := []struct {
		name string
		cell func(a *acpAgent) string
	}{
		{"mode in which it starts", func(a *acpAgent) string { return code(a.starts) }},
		{"mode in which it asks", func(a *acpAgent) string { return code(a.mode) }},
		{"allow once", func(a *acpAgent) string { return yes(a.once != "") }},
		{"allow edits for the session", func(a *acpAgent) string { return yes(a.edits != "") }},
		{"allow commands for the session", func(a *acpAgent) string { return yes(a.stored == "") }},
		{"always allow, rule stored in", func(a *acpAgent) string { return code(a.stored) }},
		{"deny, the agent goes on", func(a *acpAgent) string { return yes(!a.stops) }},
		{"deny, the turn ends", func(a *acpAgent) string {
			if a.plan != nil && !a.stops {
				return "plans"
			}
			return yes(a.stops)
		}},
		{"plan: approve with a mode, reject", func(a *acpAgent) string { return yes(a.plan != nil) }},
		{"diff of an edit", func(a *acpAgent) string {
			if a.whole {
				return "whole file"
			}
			return "fragment"
		}},
	}
	var b strings.Builder
	b.WriteString("| |")
	for i := range acpAgents {
		b.WriteString(" " + acpAgents[i].name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(acpAgents)) + "\n")
	for _, r := range rows {
		b.WriteString("| " + r.name + " |")
		for i := range acpAgents {
			b.WriteString(" " + r.cell(&acpAgents[i]) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestACPTable: the page has the table of what the tests run.
func TestACPTable(t *testing.T) {
	page, err := os.ReadFile("../../../docs/integrations/acp.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), acpTable()) {
		t.Errorf("docs/integrations/acp.md does not have this table:\n%s", acpTable())
	}
}
