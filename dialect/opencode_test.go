package dialect_test

import (
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

var openCodeCalls = calls{
	single: `{"questions":[{"question":"Which database should we use?","header":"Database","options":[
			{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"label":"SQLite","description":"Lightweight, file-based"},
			{"label":"MongoDB","description":"Document store"}]}]}`,
	multi: `{"questions":[{"question":"Which features should we include?","header":"Features","multiple":true,"options":[
			{"label":"Auth","description":"OAuth2 + JWT"},
			{"label":"Search","description":"Full text"},
			{"label":"Export","description":"CSV"}]}]}`,
	form: `{"questions":[
			{"question":"Which database should we use?","header":"Database","options":[
				{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
				{"label":"SQLite","description":"Lightweight, file-based"}]},
			{"question":"Which features should we include?","header":"Features","multiple":true,"options":[
				{"label":"Auth","description":"OAuth2 + JWT"},
				{"label":"Search","description":"Full text"}]},
			{"question":"What should the service be called?","header":"Name","options":[]}]}`,
	invalid: `{"questions":[{"question":" ","header":"A","options":[{"label":"a","description":""},{"label":"a","description":""}]},{"question":"Which?","header":"B","options":3,"multiple":"perhaps"}]}`,
}

func TestOpenCode(t *testing.T) {
	t.Parallel()
	const seen, source = "opencode 1.18.33", "anomalyco/opencode of 2026-08-19"
	call := `{"questions":[{"question":"Which database?","header":"DB","options":[{"label":"PostgreSQL","description":""},{"label":"SQLite","description":""}]}]}`
	form := `{"questions":[{"question":"Q","header":"A","multiple":true,"options":["A","B"]},{"question":"Q2","header":"B","options":[]}]}`
	testExact(t, dialect.OpenCode, []exactCase{
		{"choice", seen, call, chose(0, 1),
			`User has answered your questions: "Which database?"="SQLite". You can now continue with the user's answers in mind.`},
		{"several and unanswered", source, form, func(a *sayso.Ask) *sayso.Outcome { return answered(choose(a, 0, 0, 1)) },
			`User has answered your questions: "Q"="A, B", "Q2"="Unanswered". You can now continue with the user's answers in mind.`},
		{"dismissed", seen, call, closed(sayso.StatusCancelled, person, ""), "The user dismissed this question"},
		{"declined", seen, call, closed(sayso.StatusDeclined, person, ""), "The user dismissed this question"},
		{"empty", "R14", form, blank, "The user did not answer the questions."},
	})
}
