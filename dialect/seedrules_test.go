package dialect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// TestSeedSchemas holds each schema to what its seed says, and to the limits that
// the tool enforces.
func TestSeedSchemas(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	tests := []struct {
		d                                    sayso.Dialect
		name                                 string
		required, question, option           string // the names of required fields
		maxQuestions, minOptions, maxOptions float64
	}{
		{dialect.Pi, "ask_user", "[]", "[question]", "[label]", 20, 0, 20},
		{dialect.ACP, "AskUserQuestion", "[questions]", "[question header options multiSelect]", "[label description]", 4, 2, 4},
		{dialect.JSON, "ask_user_question", "[questions]", "[question options]", "[label]", 4, 2, 4},
		{dialect.Text, "ask_user_question", "[questions]", "[question header options multiSelect]", "[label description]", 4, 2, 4},
	}
	names := func(schema object) string {
		list, _ := schema["required"].([]any)
		return fmt.Sprint(list)
	}
	number := func(schema object, name string) float64 {
		n, _ := schema[name].(float64)
		return n
	}
	for _, tt := range tests {
		spec := tt.d.Spec()
		t.Run(spec.Dialect, func(t *testing.T) {
			t.Parallel()
			var schema object
			if err := json.Unmarshal(spec.Schema, &schema); err != nil {
				t.Fatal(err)
			}
			questions := schema["properties"].(object)["questions"].(object)
			question := questions["items"].(object)
			options := question["properties"].(object)["options"].(object)
			option := options["items"].(object)
			if spec.Name != tt.name || names(schema) != tt.required || names(question) != tt.question || names(option) != tt.option {
				t.Errorf("%s requires %s, %s and %s", spec.Name, names(schema), names(question), names(option))
			}
			if number(questions, "minItems") != 1 || number(questions, "maxItems") != tt.maxQuestions ||
				number(options, "minItems") != tt.minOptions || number(options, "maxItems") != tt.maxOptions {
				t.Errorf("the schema takes %v to %v questions and %v to %v options", questions["minItems"], questions["maxItems"], options["minItems"], options["maxItems"])
			}
			l := spec.Limits
			if float64(l.MaxQuestions) != tt.maxQuestions || float64(l.MinOptions) != tt.minOptions || float64(l.MaxOptions) != tt.maxOptions {
				t.Errorf("the limits are %+v", l)
			}
			header := question["properties"].(object)["header"].(object)
			if _, ok := header["maxLength"]; ok {
				t.Error("a long header is cut where it is shown, never refused")
			}
		})
	}
}

// TestSeed3AnswersAreAlwaysJSON is the property test of seed 3.
func TestSeed3AnswersAreAlwaysJSON(t *testing.T) {
	t.Parallel()
	property := func(text, words string) bool {
		a := &sayso.Ask{Questions: []sayso.Question{{ID: "q1", Text: text, RawText: text}}}
		r, err := dialect.JSON.Format(a, answered(sayso.Answer{QuestionID: "q1", Other: words}))
		return err == nil && json.Valid([]byte(r.Text))
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
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

// TestSeedsWaitForEver holds that no seed's call has a deadline, and that long
// answers and lists beyond what fits a screen are taken (seeds 0 and 1).
func TestSeedsWaitForEver(t *testing.T) {
	t.Parallel()
	a := prepare(t, dialect.Pi, `{"questions":[{"question":"Which framework?","options":["a","b","c","d","e","f","g","h"]}]}`)
	if !a.Deadline.IsZero() || !a.OnExpiry.IsZero() {
		t.Errorf("the ask expires: %v", a.Deadline)
	}
	long := strings.Repeat("ab ", 1000) + "c"
	if got := format(t, dialect.Pi, a, answered(say(a, 0, long))).Text; !strings.Contains(got, long) {
		t.Error("a long answer was cut")
	}
}
