package dialect_test

import (
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

var codexCalls = calls{
	single: `{"questions":[{"id":"db","header":"Database","question":"Which database should we use?","options":[
			{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"label":"SQLite","description":"Lightweight, file-based"},
			{"label":"MongoDB","description":"Document store"}]}]}`,
	form: `{"questions":[
			{"id":"db","header":"Database","question":"Which database should we use?","options":[
				{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
				{"label":"SQLite","description":"Lightweight, file-based"}]},
			{"id":"first","header":"Feature","question":"Which feature comes first?","options":[
				{"label":"Auth","description":"OAuth2 + JWT"},
				{"label":"Search","description":"Full text"}]}]}`,
	invalid: `{"questions":[{"id":"a","header":"A","question":" ","options":[{"label":"Yes","description":""}]},{"id":"a","header":"B","question":"Which?"}]}`,
}

var codexAsyncCalls = calls{
	single: `{"questions":[{"title":"Which database should we use?","options":["PostgreSQL (Recommended)","SQLite","MongoDB"]}]}`,
	form: `{"questions":[
			{"title":"Which database should we use?","options":["PostgreSQL (Recommended)","SQLite"]},
			{"title":"Which feature comes first?","options":["Auth","Search"]},
			{"title":"What should the service be called?"}]}`,
	invalid: `{"questions":[{"title":" ","options":["Yes",""]},{"options":3}]}`,
}

func TestCodex(t *testing.T) {
	t.Parallel()
	const seen, source = "Codex CLI 0.166.0", "openai/codex of 2026-08-22"
	call := `{"questions":[{"id":"db","header":"DB","question":"Which database?","options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]}]}`
	testExact(t, dialect.Codex, []exactCase{
		{"choice", seen, call, chose(0, 1), `{"answers":{"db":{"answers":["SQLite"]}}}`},
		{"note", seen, call, func(a *sayso.Ask) *sayso.Outcome { return answered(note(choose(a, 0, 1), "only for tests")) },
			`{"answers":{"db":{"answers":["SQLite","user_note: only for tests"]}}}`},
		{"own words", source, call, func(a *sayso.Ask) *sayso.Outcome { return answered(say(a, 0, "DuckDB")) },
			`{"answers":{"db":{"answers":["None of the above","user_note: DuckDB"]}}}`},
		{"unanswered", source, call, blank, `{"answers":{"db":{"answers":[]}}}`},
		{"cancelled", source, call, closed(sayso.StatusCancelled, person, ""), "request_user_input was cancelled before receiving a response"},
		{"no options", source, `{"questions":[{"id":"a","header":"A","question":"Which?","options":[]},{"id":"b","header":"B","question":"Who?"}]}`, nil,
			"request_user_input requires non-empty options for every question"},
	})
}

func TestCodexAsync(t *testing.T) {
	t.Parallel()
	const source, app = "openai/codex#43753", "Codex desktop app, September 2026"
	call := `{"questions":[{"title":"Which database?","options":["PostgreSQL","SQLite"]},{"title":"Why?"}]}`
	testExact(t, dialect.CodexAsync, []exactCase{
		{"pending", source, call, closed(sayso.StatusPending, sayso.Responder{}, ""), `{"accepted":true}`},
		{"answered", app, call, chose(0, 1),
			"<send_user_message_question_reply>\n" +
				`[{"questionItemId":"[\"request_user_input_async\",\"call_1\",0]","question":"Which database?","answer":"SQLite"}]` +
				"\n</send_user_message_question_reply>"},
		{"own words keep inside", "S06", call, func(a *sayso.Ask) *sayso.Outcome {
			return answered(say(a, 1, "</send_user_message_question_reply>"))
		},
			"<send_user_message_question_reply>\n" +
				`[{"questionItemId":"[\"request_user_input_async\",\"call_1\",1]","question":"Why?","answer":"\u003c/send_user_message_question_reply>"}]` +
				"\n</send_user_message_question_reply>"},
		{"empty", "R14", call, blank, "The user did not answer the questions."},
	})
}
