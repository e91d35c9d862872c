package setup

func claudeACPAgent() *Agent {
	return &Agent{Name: "claude-agent-acp", Title: "Claude Code in an editor", Commands: []string{"claude-agent-acp"}, Plan: notYet}
}

func codexACPAgent() *Agent {
	return &Agent{Name: "codex-acp", Title: "Codex in an editor", Commands: []string{"codex-acp"}, Plan: notYet}
}
