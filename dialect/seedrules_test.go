package dialect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/saysotest"
)

// TestSeedSchemas holds each schema to what its seed says; TestSpecStatesLimits
// holds it to what the tool enforces.
func TestSeedSchemas(t *testing.T) {
	t.Parallel()
	tests := []struct {
		d        sayso.Dialect
		name     string
		top      string // the required fields: of the call, of a question, of an option
		question string
		option   string
		counts   [4]float64 // fewest and most questions, fewest and most options
	}{
		{dialect.Pi, "ask_user", "[]", "[question]", "[label]", [4]float64{1, 20, 0, 20}},
		{dialect.ACP, "AskUserQuestion", "[questions]", "[question header options multiSelect]", "[label description]", [4]float64{1, 4, 2, 4}},
		{dialect.JSON, "ask_user_question", "[questions]", "[question options]", "[label]", [4]float64{1, 4, 2, 4}},
		{dialect.Text, "ask_user_question", "[questions]", "[question header options multiSelect]", "[label description]", [4]float64{1, 4, 2, 4}},
	}
	for _, tt := range tests {
		t.Run(tt.d.Spec().Dialect, func(t *testing.T) {
			t.Parallel()
			top := readSchema(t, tt.d)
			questions := top.at("questions")
			question := questions.items()
			options := question.at("options")
			if got := tt.d.Spec().Name; got != tt.name {
				t.Errorf("the tool is named %q, want %q", got, tt.name)
			}
			if got, want := fmt.Sprint(top.required(), question.required(), options.items().required()), tt.top+" "+tt.question+" "+tt.option; got != want {
				t.Errorf("required are %s, want %s", got, want)
			}
			if got := [4]float64{questions.number("minItems"), questions.number("maxItems"), options.number("minItems"), options.number("maxItems")}; got != tt.counts {
				t.Errorf("counts are %v, want %v", got, tt.counts)
			}
			if got := fmt.Sprint(slices.Sorted(maps.Keys(question["properties"].(map[string]any)))); got != "[header multiSelect options question]" {
				t.Errorf("a question has %s", got)
			}
			if _, ok := question.at("header")["maxLength"]; ok {
				t.Error("a long header is refused; it should be cut where it is shown")
			}
		})
	}
	t.Run("opal", func(t *testing.T) {
		t.Parallel()
		top := readSchema(t, dialect.Opal)
		choices := top.at("choices")
		if got := []any{top.required(), top.at("question")["type"], choices["type"], choices.items()["type"]}; fmt.Sprint(got) != "[[question] string array string]" {
			t.Errorf("the schema says %v", got)
		}
		if got := dialect.Opal.Spec().Name; got != "ask_user" {
			t.Errorf("the tool is named %q", got)
		}
	})
}

// anySchema is a JSON Schema of which a test reads what it needs.
type anySchema map[string]any

func readSchema(t *testing.T, d sayso.Dialect) anySchema {
	t.Helper()
	var s anySchema
	if err := json.Unmarshal(d.Spec().Schema, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s anySchema) at(property string) anySchema {
	return s["properties"].(map[string]any)[property].(map[string]any)
}

func (s anySchema) items() anySchema { return s["items"].(map[string]any) }

func (s anySchema) required() []any {
	names, _ := s["required"].([]any)
	return names
}

func (s anySchema) number(name string) float64 {
	n, _ := s[name].(float64)
	return n
}

// TestSeed3AnswersAreAlwaysJSON is the property test of seed 3.
func TestSeed3AnswersAreAlwaysJSON(t *testing.T) {
	t.Parallel()
	property := func(text, words string) bool {
		a := &sayso.Ask{Questions: []sayso.Question{{ID: "q1", Text: text, RawText: text}}}
		r, err := dialect.JSON.Format(a, answered(sayso.Answer{QuestionID: "q1", Other: words}))
		return err == nil && json.Valid([]byte(r.Text))
	}
	if err := quick.Check(property, &quick.Config{Rand: rand.New(rand.NewSource(int64(*seed)))}); err != nil {
		t.Errorf("-seed %d: %v", *seed, err)
	}
}

// TestSeed4Limits holds the table of hard limits of seed 4, each with the error
// that a host tests for.
func TestSeed4Limits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*sayso.Ask)
		want   error
	}{
		{"as it stands", func(*sayso.Ask) {}, nil},
		{"no questions", func(a *sayso.Ask) { a.Questions = nil }, sayso.ErrNoQuestions},
		{"five questions", func(a *sayso.Ask) { a.Questions = slices.Repeat(a.Questions, 5) }, sayso.ErrTooManyQuestions},
		{"empty question", func(a *sayso.Ask) { a.Questions[0].Text = "" }, sayso.ErrEmptyQuestion},
		{"empty header", func(a *sayso.Ask) { a.Questions[0].Header = "" }, sayso.ErrEmptyHeader},
		{"header over 12", func(a *sayso.Ask) { a.Questions[0].Header = "Authentication method" }, nil},
		{"one option", func(a *sayso.Ask) { a.Questions[0].Options = a.Questions[0].Options[:1] }, sayso.ErrOptionCount},
		{"six options", func(a *sayso.Ask) { a.Questions[0].Options = slices.Repeat(a.Questions[0].Options, 3) }, sayso.ErrOptionCount},
		{"empty label", func(a *sayso.Ask) { a.Questions[0].Options[1].Label = "" }, sayso.ErrEmptyLabel},
		{"duplicate label", func(a *sayso.Ask) { a.Questions[0].Options[1] = a.Questions[0].Options[0] }, sayso.ErrDuplicateLabel},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := prepare(t, dialect.Text, seed4Call)
			tt.change(a)
			if err := a.Validate(dialect.Text.Spec().Limits); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// TestSeed4ToolNames holds both spellings of the tool's name.
func TestSeed4ToolNames(t *testing.T) {
	t.Parallel()
	tool := &sayso.Tool{Dialect: dialect.Text}
	if got := tool.Spec().Name; got != "ask_user_question" {
		t.Errorf("the tool is named %q", got)
	}
	tool.Name = "AskUserQuestion"
	if got := tool.Spec().Name; got != "AskUserQuestion" {
		t.Errorf("the renamed tool is named %q", got)
	}
}

// TestSeedsWaitForEver holds that no seed's call has a deadline or a default: an answer
// that comes a year later is the answer.
func TestSeedsWaitForEver(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	for _, tt := range []struct {
		seed   int
		d      sayso.Dialect
		call   string
		answer string
		want   string
	}{
		{0, dialect.Opal, `{"question":"Which port?","choices":["8080","3000"]}`, "3000", "3000"},
		{1, dialect.Pi, seed1Database, "SQLite", `{"answered":true,"answers":[{"question":"Which database should we use?","answer":"SQLite","selectedOption":"SQLite","wasCustom":false}]}`},
		{2, dialect.ACP, seed2Call, "Vitest", `{"questions":` + seed2Questions + `,"answers":{"Which testing framework should we use?":"Vitest"}}`},
		{3, dialect.JSON, seed3Call, "Careful", `{"answers":{"Which approach?":"Careful"}}`},
		{4, dialect.Text, seed4Call, "API key", "Which auth method?\nAPI key"},
	} {
		t.Run(fmt.Sprintf("seed %d", tt.seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				person := saysotest.Answers(tt.answer).After(year)
				tool := &sayso.Tool{Dialect: tt.d, Resolver: person}
				begin := time.Now()
				r, err := tool.Call(t.Context(), sayso.Call{ID: "call_1", Arguments: arguments(t, tool, tt.call)})
				if err != nil {
					t.Fatal(err)
				}
				if waited := time.Since(begin); waited != year || !sameText(r.Text, tt.want) {
					t.Errorf("after %v the model reads\n%s\nwant\n%s", waited, r.Text, tt.want)
				}
				if a := person.Asks()[0]; !a.Deadline.IsZero() || !a.OnExpiry.IsZero() {
					t.Errorf("the ask expires at %v with %+v", a.Deadline, a.OnExpiry)
				}
			})
		})
	}
}

// TestSeed1Long holds that a list beyond what fits a screen and an answer of more than
// 2,000 characters are taken whole.
func TestSeed1Long(t *testing.T) {
	t.Parallel()
	a := prepare(t, dialect.Pi, `{"questions":[{"question":"Which framework?","options":["a","b","c","d","e","f","g","h"]}]}`)
	if n := len(a.Questions[0].Options); n != 8 {
		t.Errorf("%d options were taken, want 8", n)
	}
	long := strings.Repeat("ab ", 1000) + "c"
	if got := format(t, dialect.Pi, a, answered(say(a, 0, long))).Text; !strings.Contains(got, long) {
		t.Error("a long answer was cut")
	}
}
