package dialect_test

import (
	"encoding/json"
	"testing"

	"github.com/saysohq/sayso"
)

// exactCase is one result that the real program was seen to hand to its model, or
// that its source has.
type exactCase struct {
	name    string
	source  string // where the string comes from: "Codex CLI 0.166.0"
	call    string
	outcome func(*sayso.Ask) *sayso.Outcome // nil: the call is refused
	want    string
}

func testExact(t *testing.T, d sayso.Dialect, cases []exactCase) {
	t.Helper()
	tool := &sayso.Tool{Dialect: d}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, result := tool.Prepare(sayso.Call{ID: "call_1", Arguments: json.RawMessage(c.call)})
			if (result != nil) != (c.outcome == nil) {
				t.Fatalf("refusal = %+v", result)
			}
			if c.outcome != nil {
				var err error
				if result, err = tool.Finish(a, c.outcome(a)); err != nil {
					t.Fatal(err)
				}
			}
			if result.Text != c.want {
				t.Errorf("differs from %s\ngot:  %s\nwant: %s", c.source, result.Text, c.want)
			}
			if result.Structured != nil && !json.Valid(result.Structured) {
				t.Errorf("structured form is not JSON: %s", result.Structured)
			}
		})
	}
}

// chose answers question i with option j, as a person does.
func chose(i, j int) func(*sayso.Ask) *sayso.Outcome {
	return func(a *sayso.Ask) *sayso.Outcome { return answered(choose(a, i, j)) }
}

// blank sends every question back with nothing in it.
func blank(a *sayso.Ask) *sayso.Outcome {
	o := answered()
	for i := range a.Questions {
		o.Answers = append(o.Answers, say(a, i, " "))
	}
	return o
}
