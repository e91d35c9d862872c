package setup

func geminiAgent() *Agent {
	return &Agent{Name: "gemini", Title: "Gemini CLI", Commands: []string{"gemini"}, Plan: notYet}
}
