package setup

func copilotAgent() *Agent {
	return &Agent{Name: "copilot", Title: "Copilot CLI", Commands: []string{"copilot"}, Plan: notYet}
}
