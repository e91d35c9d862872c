package setup

func opencodeAgent() *Agent {
	return &Agent{Name: "opencode", Title: "opencode", Commands: []string{"opencode"}, Plan: notYet}
}
