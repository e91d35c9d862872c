package claude

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/dialect"
)

// ask has labels that are the beginning of others, and commas in them.
func ask(t testing.TB, multi string) *sayso.Ask {
	t.Helper()
	a, refusal := tool.Prepare(sayso.Call{Arguments: []byte(`{"questions":[{"question":"Which?","header":"H","multiSelect":` + multi + `,"options":[
		{"label":"A","description":""},{"label":"A, B","description":""},{"label":"B","description":""},{"label":"Say \"hi\" (Recommended)","description":""}]}]}`)})
	if refusal != nil {
		t.Fatal(refusal.Text)
	}
	return a
}

func TestReadTerminal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		multi, response string
		want            sayso.Answer
	}{
		{"false", `{"answers":{"Which?":"A"}}`, sayso.Answer{Selected: []string{"o1"}}},
		{"false", `{"answers":{"Which?":"A, B"}}`, sayso.Answer{Selected: []string{"o2"}}},
		{"false", `{"answers":{"Which?":"A, C"}}`, sayso.Answer{Other: "A, C"}},
		{"false", `{"answers":{"Which?":"B, A"}}`, sayso.Answer{Other: "B, A"}},
		{"false", `{"answers":{"Which?":"Say \"hi\" (Recommended)"}}`, sayso.Answer{Selected: []string{"o4"}}},
		{"false", `{"answers":{"Which?":"Say \"hi\""}}`, sayso.Answer{Selected: []string{"o4"}}},
		{"false", `{"answers":{"Which?":"a"},"annotations":{"Which?":{"notes":"hm"}}}`, sayso.Answer{Selected: []string{"o1"}, Note: "hm"}},
		{"false", `{"answers":{"Which?":["A","B"]}}`, sayso.Answer{Other: "A\nB"}},
		{"false", `{"answers":{},"annotations":{"Which?":{"notes":"hm"}}}`, sayso.Answer{Note: "hm"}},
		{"false", `{"answers":{"Which?":" "}}`, sayso.Answer{Unanswered: sayso.ReasonSkipped}},
		{"false", `{"answers":{"0":"A"}}`, sayso.Answer{Unanswered: sayso.ReasonSkipped}},
		{"false", `{"annotations":{"Which?":{"unanswered":"dismissed"}}}`, sayso.Answer{Unanswered: sayso.ReasonDismissed}},
		{"false", `{"annotations":{"Which?":{"unanswered":"whatever"}}}`, sayso.Answer{Unanswered: sayso.ReasonSkipped}},
		{"true", `{"answers":{"Which?":"B, A"}}`, sayso.Answer{Selected: []string{"o3", "o1"}}},
		{"true", `{"answers":{"Which?":["A","B"]}}`, sayso.Answer{Selected: []string{"o1", "o3"}}},
		{"true", `{"answers":{"Which?":["A, B","B"]}}`, sayso.Answer{Selected: []string{"o2", "o3"}}},
		{"true", `{"answers":{"Which?":"B, own words, A"}}`, sayso.Answer{Selected: []string{"o3"}, Other: "own words, A"}},
		{"true", `{"answers":{"Which?":"B, B"}}`, sayso.Answer{Selected: []string{"o3"}}},
		{"true", `{"answers":{"Which?":"B, "}}`, sayso.Answer{Selected: []string{"o3"}}},
	} {
		r, err := readResponse([]byte(tc.response))
		if err != nil {
			t.Fatal(err)
		}
		a := ask(t, tc.multi)
		o := r.outcome(a)
		tc.want.QuestionID = "q1"
		if len(o.Answers) != 1 || !reflect.DeepEqual(o.Answers[0], tc.want) {
			t.Errorf("%s %s: got %+v", tc.multi, tc.response, o.Answers)
		}
		if err := a.Check(o); err != nil {
			t.Errorf("%s: %v", tc.response, err)
		}
	}
}

// TestMatch holds the reader of the tool's response to the table of what texts mean,
// as a text and as a list.
func TestMatch(t *testing.T) {
	t.Parallel()
	reads := func(spelled func(said []string) any) func(*testing.T, *sayso.Question, []string) (sayso.Answer, error) {
		return func(t *testing.T, q *sayso.Question, said []string) (sayso.Answer, error) {
			b, err := json.Marshal(map[string]any{"answers": map[string]any{q.TextAsAsked(): spelled(said)}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := readResponse(b)
			if err != nil {
				t.Fatal(err)
			}
			a := &sayso.Ask{Questions: []sayso.Question{*q}}
			ans, err := r.Answers[q.TextAsAsked()].match(q)
			if got := r.outcome(a).Answers[0]; err != nil && got.Other != strings.Join(said, "\n") {
				t.Errorf("what cannot be refused has become %+v", got)
			} else if err == nil && len(ans.Selected) < 2 {
				ans = got
			}
			return ans, err
		}
	}
	t.Run("text", func(t *testing.T) {
		t.Parallel()
		surfacetest.RunMatch(t, surfacetest.Reader{Joined: true, Read: reads(func(said []string) any { return said[0] })})
	})
	t.Run("list", func(t *testing.T) {
		t.Parallel()
		surfacetest.RunMatch(t, surfacetest.Reader{Lists: true, Read: reads(func(said []string) any { return said })})
	})
}

// FuzzTerminal: whatever the tool returned is an outcome that fits the ask, and
// an answer of options comes back as it was.
func FuzzTerminal(f *testing.F) {
	f.Add([]byte(`{"answers":{"Which?":"A, B"},"annotations":{"Which?":{"notes":"x","preview":"y"}}}`), true)
	f.Add([]byte(`{"answers":{"Which?":["A",""]},"response":"hm"}`), false)
	f.Fuzz(func(t *testing.T, data []byte, multi bool) {
		r, err := readResponse(data)
		if err != nil {
			return
		}
		spelled := map[bool]string{true: "true", false: "false"}[multi]
		a := ask(t, spelled)
		o := r.outcome(a)
		if err := a.Check(o); err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		if o.Status != sayso.StatusAnswered || o.Reply != "" || o.Answers[0].Other != "" || o.Answers[0].Note != "" {
			return
		}
		res, err := dialect.Claude.Format(a, o)
		if err != nil {
			t.Fatal(err)
		}
		again, err := readResponse(res.Structured)
		if err != nil {
			t.Fatal(err)
		}
		if got := again.outcome(a); len(got.Answers[0].Selected) != len(o.Answers[0].Selected) && !multi {
			t.Fatalf("%+v came back as %+v", o, got)
		}
	})
}
