package dialect_test

import (
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

var kimiCalls = calls{
	single: `{"questions":[{"question":"Which database should we use?","header":"Database","options":[
			{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"label":"SQLite","description":"Lightweight, file-based"},
			{"label":"MongoDB"}]}]}`,
	multi: `{"questions":[{"question":"Which features should we include?","multi_select":true,"options":[
			{"label":"Auth","description":"OAuth2 + JWT"},
			{"label":"Search","description":"Full text"},
			{"label":"Export","description":"CSV"}]}]}`,
	form: `{"questions":[
			{"question":"Which database should we use?","header":"Database","options":[
				{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
				{"label":"SQLite","description":"Lightweight, file-based"}]},
			{"question":"Which features should we include?","header":"Features","multi_select":true,"options":[
				{"label":"Auth"},
				{"label":"Search"}]}]}`,
	invalid: `{"questions":[{"question":"Same?","options":["Yes"]},{"question":"Same?","options":["a","b","c","d","e"],"multi_select":"perhaps"}]}`,
}

func TestKimi(t *testing.T) {
	t.Parallel()
	const source = "MoonshotAI/kimi-cli of 2026-07-16"
	call := `{"questions":[{"question":"Which language?","options":[{"label":"Python"},{"label":"Go"}]},{"question":"Which \"parts\"?","multi_select":true,"options":["API","Tests"]}]}`
	testExact(t, dialect.Kimi, []exactCase{
		{"choice", source, call, chose(0, 0), `{"answers": {"Which language?": "Python"}}`},
		{"two", source, call, func(a *sayso.Ask) *sayso.Outcome { return answered(choose(a, 0, 1), choose(a, 1, 0, 1)) },
			`{"answers": {"Which language?": "Go", "Which \"parts\"?": "API, Tests"}}`},
		{"dismissed", source, call, closed(sayso.StatusCancelled, person, ""),
			`{"answers": {}, "note": "User dismissed the question without answering."}`},
		{"empty", source, call, blank, `{"answers": {}, "note": "User dismissed the question without answering."}`},
		{"client without questions", source, call, closed(sayso.StatusUnreachable, sayso.Responder{}, ""),
			"The connected client does not support interactive questions. Do NOT call this tool again. Ask the user directly in your text response instead."},
	})
}
