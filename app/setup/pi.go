package setup

func piAgent() *Agent {
	return &Agent{Name: "pi", Title: "pi", Commands: []string{"pi"}, Plan: notYet}
}
