package dialect_test

import (
	"encoding/json"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

var geminiCalls = calls{
	single: `{"questions":[{"question":"Which database should we use?","header":"Database","type":"choice","options":[
			{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"label":"SQLite","description":"Lightweight, file-based"},
			{"label":"MongoDB","description":"Document store"}]}]}`,
	multi: `{"questions":[{"question":"Which features should we include?","header":"Features","type":"choice","multiSelect":true,"options":[
			{"label":"Auth","description":"OAuth2 + JWT"},
			{"label":"Search","description":"Full text"},
			{"label":"Export","description":"CSV"}]}]}`,
	form: `{"questions":[
			{"question":"Which database should we use?","header":"Database","type":"choice","options":[
				{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
				{"label":"SQLite","description":"Lightweight,\\nfile-based"}]},
			{"question":"Which features should we include?","header":"Features","type":"choice","multiSelect":true,"options":[
				{"label":"Auth","description":"OAuth2 + JWT"},
				{"label":"Search","description":"Full text"}]},
			{"question":"What should the service be called?\\nIt is shown to customers.","header":"Name","type":"text","placeholder":"for example order-processor"},
			{"question":"Delete the old table?","header":"Delete","type":"yesno"}]}`,
	invalid: `{"questions":[
			{"question":" ","header":"A","type":"choice","options":[{"label":"Yes","description":"y"}]},
			{"question":"Which?","header":"B","type":"choice"},
			{"question":"Who?","header":"C","type":"choice","options":["a","b","c","d","e"]},
			{"question":"When?","header":"D","type":"choice","options":[{"label":" ","description":"x"},{"label":"now","description":["x"]}],"multiSelect":"perhaps"}]}`,
}

func TestGemini(t *testing.T) {
	t.Parallel()
	const source = "google-gemini/gemini-cli of 2026-08-21"
	form := `{"questions":[
		{"question":"Q","header":"A","type":"choice","options":[{"label":"Option A","description":""},{"label":"Option B","description":""}],"multiSelect":true},
		{"question":"Q2","header":"B","type":"text"},
		{"question":"Q3","header":"C","type":"yesno"}]}`
	testExact(t, dialect.Gemini, []exactCase{
		{"index keys", source, form, func(a *sayso.Ask) *sayso.Outcome { return answered(choose(a, 0, 0), say(a, 1, "Some text")) },
			`{"answers":{"0":"Option A","1":"Some text"}}`},
		{"joined, yes, unanswered", source, form, func(a *sayso.Ask) *sayso.Outcome { return answered(choose(a, 0, 0, 1), choose(a, 2, 0)) },
			`{"answers":{"0":"Option A, Option B","2":"Yes"}}`},
		{"dismissed", source, form, closed(sayso.StatusCancelled, person, ""), "User dismissed ask_user dialog without answering."},
		{"no questions", source, `{"questions":[]}`, nil, "At least one question is required."},
		{"no options", source, `{"questions":[{"question":"Q","header":"A","type":"choice"}]}`, nil,
			"Question 1: type='choice' requires 'options' array with 2-4 items."},
		{"one option", source, `{"questions":[{"question":"Q","header":"A","type":"choice","options":["a"]}]}`, nil,
			"Question 1: type='choice' requires 'options' array with 2-4 items."},
		{"five options", source, `{"questions":[{"question":"Q","header":"A","type":"text"},{"question":"Q2","header":"B","type":"choice","options":["a","b","c","d","e"]}]}`, nil,
			"Question 2: 'options' array must have at most 4 items."},
		{"empty label", source, `{"questions":[{"question":"Q","header":"A","type":"choice","options":["a"," "]}]}`, nil,
			"Question 1, option 2: 'label' is required and must be a non-empty string."},
		{"bad description", source, `{"questions":[{"question":"Q","header":"A","type":"choice","options":[{"label":"a","description":{}},"b"]}]}`, nil,
			"Question 1, option 1: 'description' is required and must be a string."},
		{"empty", "R14", form, blank, `{"answers":{},"note":"The user did not answer the questions."}`},
	})
}

func TestGeminiTypes(t *testing.T) {
	t.Parallel()
	a, err := dialect.Gemini.Parse(json.RawMessage(`{"questions":[
		{"question":"Name?\\r\\nShort.","type":"text","options":["ignored"],"placeholder":"for example x"},
		{"question":"Sure?","type":"yesno"},
		{"question":"Sure?","type":"yesno","options":[{"label":"Yes","description":"drops the table"},{"label":"No"}]},
		{"question":"Which?","type":"dropdown","options":["a","b"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	q := a.Questions
	if q[0].Text != "Name?\nShort." || len(q[0].Options) != 0 || q[0].Body != "for example x" {
		t.Errorf("text question = %+v", q[0])
	}
	if len(q[1].Options) != 2 || q[1].Options[0].ID != "yes" || q[1].Options[1].ID != "no" {
		t.Errorf("yes/no question = %+v", q[1])
	}
	if q[2].Options[0].Description != "drops the table" {
		t.Errorf("yes/no question with options lost what they mean: %+v", q[2])
	}
	if len(q[3].Options) != 2 {
		t.Errorf("question of an unknown type = %+v", q[3])
	}
}
