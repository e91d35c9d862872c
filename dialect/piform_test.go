package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// A program that knows only pi's own members shows everything that a person must
// see.
func TestPiFormIsComplete(t *testing.T) {
	a := &sayso.Ask{
		Deadline: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC),
		Origin:   sayso.Origin{Agents: []string{"planner"}, Asker: "ci", Via: "http"},
		Questions: []sayso.Question{{Header: "Table", Text: "Drop it?", Body: "It has *1,204* rows.", Multi: true, Options: []sayso.Option{
			{Label: "Drop", Description: "for good", Preview: "DROP TABLE t", Danger: true}, {Label: "Keep (Recommended)"},
		}}},
	}
	a.Normalize()
	b, err := json.MarshalIndent(dialect.NewPiForm(a), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "questions": [
    {
      "question": "Drop it?\n\nIt has *1,204* rows.",
      "header": "Table",
      "options": [
        {
          "label": "Drop",
          "description": "Marked as dangerous.\nfor good\nDROP TABLE t",
          "preview": "DROP TABLE t",
          "danger": true
        },
        {
          "label": "Keep (Recommended)",
          "recommended": true
        }
      ],
      "multiSelect": true,
      "text": "Drop it?",
      "body": "It has *1,204* rows."
    }
  ],
  "agents": [
    "planner"
  ],
  "asker": "ci (over http)",
  "claim": "planner",
  "digest": "DIGEST",
  "deadline": "2026-11-15T09:00:00Z"
}`
	if got := string(b); got != strings.Replace(want, "DIGEST", a.Digest(), 1) {
		t.Errorf("got\n%s", got)
	}
}

func FuzzReadPiForm(f *testing.F) {
	for _, s := range []string{
		`{"answers":["a",["B","x"]]}`, `{"answers":[{"answer":"A","selectedOption":"A","wasCustom":true,"note":"n"},null]}`,
		`{"answers":[{"answer":{}}]}`, `{"reply":"both"}`, `{"answers":[1]}`, `{"declined":true}`, `[]`, ``,
	} {
		f.Add([]byte(s))
	}
	a := &sayso.Ask{Questions: []sayso.Question{
		{Text: "One?", Options: []sayso.Option{{Label: "A"}, {Label: "B (Recommended)"}}},
		{Text: "Many?", Multi: true, Options: []sayso.Option{{Label: "A"}, {Label: "B"}}},
	}}
	a.Normalize()
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := dialect.ReadPiForm(a, data)
		if err != nil {
			return
		}
		if err := a.Check(o); err != nil || o.Status == sayso.StatusAnswered && !o.HasAnswer() {
			t.Errorf("%q was read as %+v: %v", data, o, err)
		}
	})
}
