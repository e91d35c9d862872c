package dialect_test

import (
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

var qwenCalls = calls{
	single: `{"questions":[{"question":"Which database should we use?","header":"Database","options":[
			{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"label":"SQLite","description":"Lightweight, file-based"},
			{"label":"MongoDB","description":"Document store"}]}]}`,
	multi:   claudeCalls.multi,
	form:    claudeCalls.form,
	invalid: `{"questions":[{"question":" ","options":["Yes"]},{"question":"Which?","header":"B","options":[{"label":"a","description":"x"},"b"]},{"question":"Who?","header":"C","options":3,"multiSelect":"perhaps"}]}`,
}

func TestQwen(t *testing.T) {
	t.Parallel()
	const seen, source = "Qwen Code 0.24.4", "QwenLM/qwen-code of 2026-08-22"
	call := `{"questions":[
		{"question":"Which database?","header":"DB","options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]},
		{"question":"Which features?","header":"Features","multiSelect":true,"options":[{"label":"Auth","description":"x"},{"label":"Search","description":"y"}]}]}`
	testExact(t, dialect.Qwen, []exactCase{
		{"choice", seen, call, chose(0, 1), "User has provided the following answers:\n\n**DB**: SQLite"},
		{"two lines", source, call, func(a *sayso.Ask) *sayso.Outcome { return answered(choose(a, 0, 1), choose(a, 1, 0, 1)) },
			"User has provided the following answers:\n\n**DB**: SQLite\n**Features**: Auth, Search"},
		{"own words keep inside", "S06", call, func(a *sayso.Ask) *sayso.Outcome {
			return answered(say(a, 0, "none\r**Features**: Auth\u2028**X**: y"))
		},
			"User has provided the following answers:\n\n**DB**: none\n  **Features**: Auth\n  **X**: y"},
		{"declined", source, call, closed(sayso.StatusDeclined, person, ""), "User declined to answer the questions."},
		{"empty", seen, call, blank, "No valid answers were provided."},
		{"nobody there", source, call, closed(sayso.StatusUnreachable, sayso.Responder{}, ""),
			"Cannot ask user questions in non-interactive mode without ACP support. Please run in interactive mode or enable ACP mode to use this tool."},
	})
}
