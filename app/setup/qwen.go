package setup

func qwenAgent() *Agent {
	return &Agent{Name: "qwen", Title: "Qwen Code", Commands: []string{"qwen"}, Plan: notYet}
}
