package jsonrpc

import (
	"encoding/json"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/dialect"
)

// TestMatch: what the other side sends means the same as on every other surface, in
// both protocols.
func TestMatch(t *testing.T) {
	t.Run("client/ask_user", func(t *testing.T) {
		surfacetest.RunMatch(t, reader(func(q *sayso.Question, said any) (*sayso.Outcome, error) {
			return readAnswer(q, encode(t, map[string]any{"answer": said}))
		}))
	})
	t.Run("ask_user_response", func(t *testing.T) {
		surfacetest.RunMatch(t, reader(func(q *sayso.Question, said any) (*sayso.Outcome, error) {
			return dialect.ReadPiForm(&sayso.Ask{Questions: []sayso.Question{*q}}, encode(t, map[string]any{"answers": []any{said}}))
		}))
	})
	t.Run("ask_user_response, objects", func(t *testing.T) {
		surfacetest.RunMatch(t, reader(func(q *sayso.Question, said any) (*sayso.Outcome, error) {
			one := map[string]any{"question": q.Text, "answer": said}
			return dialect.ReadPiForm(&sayso.Ask{Questions: []sayso.Question{*q}}, encode(t, map[string]any{"answers": []any{one}}))
		}))
	})
}

func reader(read func(q *sayso.Question, said any) (*sayso.Outcome, error)) surfacetest.Reader {
	return surfacetest.Reader{Lists: true, Read: func(_ *testing.T, q *sayso.Question, said []string) (sayso.Answer, error) {
		var one any = said
		if len(said) == 1 {
			one = said[0]
		}
		o, err := read(q, one)
		if err != nil {
			return sayso.Answer{}, err
		}
		return o.Answers[0], nil
	}}
}

func encode(t *testing.T, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestQuestion: the members that seed 0 has are enough to see everything, and no
// longer than before where there is only a text and labels.
func TestQuestion(t *testing.T) {
	a := &sayso.Ask{Questions: []sayso.Question{
		{Text: "Drop it?", Header: "Table", Body: "It has\n1,204 rows.", Options: []sayso.Option{
			{Label: "Keep (Recommended)"}, {Label: "Drop", Description: "for good", Preview: "DROP TABLE t", Danger: true},
		}},
		{Text: "Two\nlines?", Multi: true, Options: []sayso.Option{{Label: "A"}, {Label: "B"}}},
		{Text: "Name?"},
	}}
	a.Normalize()
	for i, want := range []string{
		`{"session_id":"","question":"Drop it?\n| It has\n| 1,204 rows.\n  - Keep [recommended]\n  - Drop [dangerous]\n     for good\n     | DROP TABLE t","choices":["Keep","Drop"],` +
			`"request_id":"r","header":"Table","kind":"choice","text":"Drop it?","body":"It has\n1,204 rows.","descriptions":["","for good"],"previews":["","DROP TABLE t"],"recommended":[true,false],"danger":[false,true],"asker":"unverified"}`,
		`{"session_id":"","question":"Two\nlines?","choices":["A","B"],"request_id":"r","kind":"choices","multiple":true,"asker":"unverified"}`,
		`{"session_id":"","question":"Name?","request_id":"r","kind":"text","asker":"unverified"}`,
	} {
		if got := string(encode(t, questionOf("r", a, i))); got != want {
			t.Errorf("question %d: got\n%s, want\n%s", i, got, want)
		}
	}
}
