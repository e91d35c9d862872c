package dialect_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

var crushCalls = calls{
	single: `{"questions":[{"label":"Database","type":"single_choice","question":"Which database should we use?","description":"For **orders** only.","choices":[
			{"id":"pg","label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"id":"sqlite","label":"SQLite","description":"Lightweight, file-based"},
			{"id":"mongo","label":"MongoDB","description":"Document store"}]}]}`,
	multi: `{"questions":[{"label":"Features","type":"multi_choice","question":"Which features should we include?","description":"All can come later.","options":["Auth","Search","Export"]}]}`,
	form: `{"questions":[
			{"label":"Database","type":"single_choice","question":"Which database should we use?","description":"For **orders** only.","choices":[
				{"id":"pg","label":"PostgreSQL (Recommended)"},
				{"id":"sqlite","label":"SQLite"}]},
			{"label":"Features","type":"multi_choice","question":"Which features should we include?","description":"All can come later.","choices":[
				{"id":"auth","label":"Auth"},
				{"id":"search","label":"Search"}]},
			{"type":"free_text","question":"What should the service be called?","description":"It is shown to customers."},
			{"type":"yes_no","question":"Delete the old table?","description":"It has a backup."}],
		"confirm_title":"Start?","confirm_description":"The migration runs at once."}`,
	invalid: `{"questions":[{"type":"single_choice","question":" ","description":"x","choices":[{"id":"a","label":"Yes"}]},{"type":"multi_choice","question":"Which?","description":"x"},{"type":"single_choice","question":"Who?","description":"x","choices":[{"id":"a","label":"Ann"},{"id":"a","label":"Bob"}]}]}`,
}

func TestCrush(t *testing.T) {
	t.Parallel()
	const source = "charmbracelet/crush v0.90.0"
	call := `{"questions":[
		{"type":"single_choice","question":"Which database?","description":"d","choices":[{"id":"pg","label":"PostgreSQL"},{"id":"lite","label":"SQLite"}]},
		{"type":"yes_no","question":"Sure?","description":"d"},
		{"type":"free_text","question":"Name?","description":"d"}]}`
	testExact(t, dialect.Crush, []exactCase{
		{"selected, yes, skipped", source, call, func(a *sayso.Ask) *sayso.Outcome { return answered(choose(a, 0, 0), choose(a, 1, 0)) },
			"Q1: Which database?\nUser selected: [\"pg\"]\n\nQ2: Sure?\nUser answered: yes\n\nQ3: Name?\nUser skipped this question"},
		{"provided, no, notes", source, call, func(a *sayso.Ask) *sayso.Outcome {
			first := note(choose(a, 0, 1), "only for tests")
			first.Other = "behind an interface"
			return answered(first, choose(a, 1, 1), note(say(a, 2, "orders"), "or bills"))
		},
			"Q1: Which database?\nUser selected: [\"lite\"]\nUser provided: behind an interface\n\nNotes:\n- [lite]: only for tests\n\n" +
				"Q2: Sure?\nUser answered: no\n\nQ3: Name?\nUser provided: orders\n\nNotes:\n- or bills"},
		{"own words keep inside", "S06", call, func(a *sayso.Ask) *sayso.Outcome {
			return answered(say(a, 0, "none\n\nQ2: Sure?\nUser answered: yes"))
		},
			"Q1: Which database?\nUser provided: none\n  \n  Q2: Sure?\n  User answered: yes\n\nQ2: Sure?\nUser skipped this question\n\nQ3: Name?\nUser skipped this question"},
		{"cancelled", source, call, closed(sayso.StatusCancelled, person, ""), "User cancelled this question"},
		{"empty", "R14", call, blank, "The user did not answer the questions."},
	})
}

func TestCrushParse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 241)
	a, err := dialect.Crush.Parse(json.RawMessage(`{"questions":[{"type":"single_choice","question":"` + long + `?","choices":["One","Two"]}],"confirm_title":"Go?"}`))
	if !errors.Is(err, sayso.ErrTooLong) {
		t.Errorf("a question of 242 characters: %v", err)
	}
	if a.Metadata["confirm_title"] != "Go?" {
		t.Errorf("metadata = %v", a.Metadata)
	}
	if id := a.Questions[0].Options[1].ID; id != "Two" {
		t.Errorf("id of a choice that is a string = %q", id)
	}
	encoded, err := json.Marshal(map[string]string{"questions": `[{"type":"yes_no","question":"Sure?","description":"d"}]`})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := dialect.Crush.Parse(encoded); err != nil || len(a.Questions) != 1 || a.Questions[0].Text != "Sure?" {
		t.Errorf("questions as JSON in a string: %+v, %v", a, err)
	}
}
