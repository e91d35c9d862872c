package mcp

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
)

var twoQuestions = func() *sayso.Ask {
	a, refusal := tool.Prepare(sayso.Call{ID: "c", Agents: []string{"planner", "researcher"}, Arguments: []byte(`{"questions":[
		{"question":"Which database?","header":"DB","options":[{"label":"PostgreSQL (Recommended)","description":"a server"},{"label":"SQLite"}]},
		{"question":"Which features?","multiSelect":true,"options":["Auth","Search, full text","Export"]},
		{"question":"What name?"}]}`)})
	if refusal != nil {
		panic(refusal.Text)
	}
	return a
}()

// TestReadForm: what comes back in a form, and what does not get past it.
func TestReadForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ content, want string }{
		{`{}`, `unanswered`},
		{`{"question_0":"","question_1":[],"question_2":"  \u200b "}`, `unanswered`},
		{`{"question_0":null,"question_0_custom":null}`, `unanswered`},
		{`{"question_0":"SQLite"}`, `answered [{"questionId":"q1","selected":["o2"]},{"questionId":"q2","unanswered":"skipped"},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_0":"PostgreSQL","question_0_custom":"only v17"}`, `answered [{"questionId":"q1","selected":["o1"],"note":"only v17"},{"questionId":"q2","unanswered":"skipped"},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_0_custom":"MySQL","question_2":"orders"}`, `answered [{"questionId":"q1","other":"MySQL"},{"questionId":"q2","unanswered":"skipped"},{"questionId":"q3","other":"orders"}]`},
		{`{"question_1":["Auth","Search, full text"],"question_1_custom":"SSO"}`, `answered [{"questionId":"q1","unanswered":"skipped"},{"questionId":"q2","selected":["o1","o2"],"other":"SSO"},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_1_0":true,"question_1_1":false,"question_1_2":true}`, `answered [{"questionId":"q1","unanswered":"skipped"},{"questionId":"q2","selected":["o1","o3"]},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_1":["Auth","Auth"]}`, `answered [{"questionId":"q1","unanswered":"skipped"},{"questionId":"q2","selected":["o1"]},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_0":"NOT-IN-ENUM"}`, `invalid`},
		{`{"question_0":"sqlite"}`, `answered [{"questionId":"q1","selected":["o2"]},{"questionId":"q2","unanswered":"skipped"},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_0":"SQL"}`, `invalid`},
		{`{"question_0_custom":"sqlite"}`, `answered [{"questionId":"q1","selected":["o2"]},{"questionId":"q2","unanswered":"skipped"},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_0":"SQLite","question_0_custom":"sqlite"}`, `answered [{"questionId":"q1","selected":["o2"]},{"questionId":"q2","unanswered":"skipped"},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_0":"SQLite","question_0_custom":"PostgreSQL"}`, `invalid`},
		{`{"question_1":["Auth"],"question_1_custom":"export"}`, `answered [{"questionId":"q1","unanswered":"skipped"},{"questionId":"q2","selected":["o1","o3"]},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_0_custom":" My \n SQL "}`, `answered [{"questionId":"q1","other":" My \n SQL "},{"questionId":"q2","unanswered":"skipped"},{"questionId":"q3","unanswered":"skipped"}]`},
		{`{"question_0":["SQLite","PostgreSQL"]}`, `invalid`},
		{`{"question_0":7}`, `invalid`},
		{`{"question_0":{"const":"SQLite"}}`, `invalid`},
		{`{"question_1":["Auth",7]}`, `invalid`},
		{`{"question_1_0":"yes"}`, `invalid`},
		{`{"choice":"SQLite"}`, `invalid`},
		{`{"question_3":"SQLite"}`, `invalid`},
		{`{"question_2_custom":7}`, `invalid`},
	} {
		var content map[string]any
		if err := json.Unmarshal([]byte(c.content), &content); err != nil {
			t.Fatal(err)
		}
		got := ""
		o, err := readForm(twoQuestions, content)
		var invalid *sayso.InvalidError
		switch {
		case errors.As(err, &invalid):
			got = "invalid"
		case err != nil:
			got = err.Error()
		case o.Status == sayso.StatusAnswered:
			got = "answered " + string(raw(o.Answers))
		default:
			got = string(o.Status)
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.content, got, c.want)
		}
	}
}

// TestNewForm: nothing is required, nothing has a default, and each era gets what
// it knows.
func TestNewForm(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"2025-06-18": `{"type":"object","properties":{"question_0":{"type":"string","title":"DB","description":"Which database?\n  - PostgreSQL [recommended]\n     a server\n  - SQLite","enum":["PostgreSQL","SQLite"],"enumNames":["PostgreSQL (Recommended)","SQLite"]},"question_0_custom":{"type":"string","title":"Other","description":"Your own answer, or a note on the option you chose above (optional)."},"question_1_0":{"type":"boolean","title":"Auth","description":"Which features?"},"question_1_1":{"type":"boolean","title":"Search, full text"},"question_1_2":{"type":"boolean","title":"Export"},"question_1_custom":{"type":"string","title":"Other","description":"Your own answer, or a note on the option you chose above (optional)."},"question_2":{"type":"string","description":"What name?"}}}`,
		"2026-07-28": `{"type":"object","properties":{"question_0":{"type":"string","title":"DB","description":"Which database?\n  - PostgreSQL [recommended]\n     a server\n  - SQLite","oneOf":[{"title":"PostgreSQL (Recommended)","description":"a server","const":"PostgreSQL"},{"title":"SQLite","const":"SQLite"}]},"question_0_custom":{"type":"string","title":"Other","description":"Your own answer, or a note on the option you chose above (optional)."},"question_1":{"type":"array","items":{"anyOf":[{"title":"Auth","const":"Auth"},{"title":"Search, full text","const":"Search, full text"},{"title":"Export","const":"Export"}]},"description":"Which features?"},"question_1_custom":{"type":"string","title":"Other","description":"Your own answer, or a note on the option you chose above (optional)."},"question_2":{"type":"string","description":"What name?"}}}`,
	} {
		f := newForm(twoQuestions, version, "", true)
		if got := string(raw(f.RequestedSchema)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", version, got, want)
		}
		if f.Message != "Asked by: unverified\nSays it is: planner ▸ researcher\n3 questions\n\nPlease answer the following questions." {
			t.Errorf("%q", f.Message)
		}
	}
}

// TestMatch: what is typed in a form means the same as on every other surface.
func TestMatch(t *testing.T) {
	surfacetest.RunMatch(t, surfacetest.Reader{Read: func(_ *testing.T, q *sayso.Question, said []string) (sayso.Answer, error) {
		name := fieldName(0)
		if q.Chooses() {
			name = customName(0)
		}
		o, err := readForm(&sayso.Ask{Questions: []sayso.Question{*q}}, map[string]any{name: said[0]})
		if err != nil {
			return sayso.Answer{}, err
		}
		return o.Answers[0], nil
	}})
}

// TestOffered: an option can be chosen from the list whatever the ids of the others
// are, and is not mixed up with them when it is typed.
func TestOffered(t *testing.T) {
	t.Parallel()
	a := &sayso.Ask{Questions: []sayso.Question{{Text: "Delete it?", Options: []sayso.Option{{ID: "No", Label: "Yes, delete it"}, {ID: "keep", Label: "No"}}}}}
	a.Normalize()
	o, err := readForm(a, map[string]any{"question_0": "No"})
	if err != nil || o.Answers[0].Selected[0] != "keep" {
		t.Errorf("chosen: %+v, %v", o, err)
	}
	if o, err := readForm(a, map[string]any{"question_0_custom": "No"}); !errors.Is(err, sayso.ErrAmbiguous) {
		t.Errorf("typed: %+v, %v", o, err)
	}
}

// FuzzForm: whatever a client sends, what is taken fits the questions, and an
// answer is never made of nothing.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"question_0":"SQLite","question_0_custom":"x","question_1":["Auth"],"question_2":"y"}`))
	f.Add([]byte(`{"question_1_0":true,"question_1":"Export"}`))
	f.Add([]byte(`{"question_0":["\u200b"],"question_9":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var content map[string]any
		if json.Unmarshal(data, &content) != nil {
			return
		}
		o, err := readForm(twoQuestions, content)
		if err != nil {
			return
		}
		if err := twoQuestions.Check(o); err != nil {
			t.Errorf("%s: %v", data, err)
		}
		if (o.Status == sayso.StatusAnswered) != o.HasAnswer() {
			t.Errorf("%s is %s", data, o.Status)
		}
		if _, err := tool.Finish(twoQuestions, o); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	})
}

// FuzzMessage: what passes the gate has one meaning, and what does not is
// answered with a message that passes it.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"a","method":"ping","METHOD":"x"}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"result":{}}]`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := checkMessage(data)
		if err == nil {
			if sayso.CheckJSON(data) != nil {
				t.Errorf("%q passes", data)
			}
			return
		}
		if bad := checkMessage(complain(data, err)); bad != nil {
			t.Errorf("%q is answered with %s: %v", data, complain(data, err), bad)
		}
	})
}
