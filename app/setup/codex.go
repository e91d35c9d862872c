package setup

func codexAgent() *Agent {
	return &Agent{Name: "codex", Title: "Codex CLI", Commands: []string{"codex"}, Plan: notYet}
}
