package opencode

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

func TestReadEvent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxName+1)
	for name, raw := range map[string]string{
		"nothing":       ``,
		"a list":        `[]`,
		"twice":         `{"type":"question.asked","type":"session.idle"}`,
		"no session":    `{"type":"question.asked","properties":{"id":"que_1"}}`,
		"no request":    `{"type":"question.asked","properties":{"sessionID":"s"}}`,
		"no id":         `{"type":"permission.replied","properties":{"sessionID":"s","id":"per_1"}}`,
		"a long id":     `{"type":"permission.asked","properties":{"sessionID":"s","id":"` + long + `"}}`,
		"no call":       `{"type":"permission.asked","properties":{"sessionID":"s","id":"per_1","tool":{"messageID":"m"}}}`,
		"wrong answers": `{"type":"question.replied","properties":{"sessionID":"s","requestID":"que_1","answers":"x"}}`,
	} {
		if e, err := readEvent([]byte(raw)); err == nil {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e, err := readEvent([]byte(`{"type":"message.updated","properties":{"id":7}}`)); err != nil || e.Type != "message.updated" {
		t.Errorf("an event of another kind: %+v, %v", e, err)
	}
}

// TestCall: a call that has no input yet is not taken for one without arguments.
func TestCall(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"parts":[{"type":"tool","callID":"c","state":{"status":"pending","input":{},"raw":""}}]}`: errNotYet.Error(),
		`{"parts":[{"type":"tool","callID":"c","state":{"status":"running"}}]}`:                     errNotYet.Error(),
		`{"parts":[{"type":"tool","callID":"d","state":{"status":"running","input":{}}}]}`:          errNotThere.Error(),
		`{"parts":[{"type":"text","callID":"c","state":{"status":"running","input":{}}}]}`:          errNotThere.Error(),
		`{"parts":[{"type":"tool","callID":"c","state":{"status":"running","input":{"a":1}}}]}`:     "",
	} {
		var m message
		if err := json.Unmarshal([]byte(raw), &m); err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := m.call("c"); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

// twoQuestions is an ask of two questions, the second with several answers.
func twoQuestions(t testing.TB) *sayso.Ask {
	t.Helper()
	a, refusal := (&sayso.Tool{Dialect: dialect.OpenCode}).Prepare(sayso.Call{Arguments: json.RawMessage(`{"questions":[
		{"question":"Which database?","header":"DB","options":[{"label":"PostgreSQL","description":"a"},{"label":"SQLite","description":"b"}]},
		{"question":"Which features?","header":"F","multiple":true,"options":[{"label":"Auth","description":"a"},{"label":"Search, full text","description":"b"}]}]}`)})
	if refusal != nil {
		t.Fatal(refusal.Text)
	}
	return a
}

// TestAnswers: what was said is told by the labels as they were asked, and read back.
func TestAnswers(t *testing.T) {
	t.Parallel()
	a := twoQuestions(t)
	for name, c := range map[string]struct {
		outcome sayso.Outcome
		want    [][]string
	}{
		"chosen": {sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}, {QuestionID: "q2", Selected: []string{"o2", "o1"}}}},
			[][]string{{"SQLite"}, {"Auth", "Search, full text"}}},
		"words": {sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "q1", Other: " MySQL \n"}, {QuestionID: "q2", Selected: []string{"o1"}, Other: "and more"}}},
			[][]string{{"MySQL"}, {"Auth", "and more"}}},
		"a note":          {sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}, Note: "only tests"}}}, [][]string{{"PostgreSQL", "user notes: only tests"}, {}}},
		"a reply to both": {sayso.Outcome{Reply: "let us talk"}, [][]string{{}, {"reply to all questions: let us talk"}}},
		"nothing":         {sayso.Outcome{Status: sayso.StatusUnanswered}, [][]string{{}, {}}},
	} {
		if got := answers(a, &c.outcome); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		said [][]string
		want string // the status; empty: it cannot be told
	}{
		"chosen":        {[][]string{{"SQLite"}, {"Search, full text"}}, "answered"},
		"one of two":    {[][]string{{"SQLite"}}, "answered"},
		"words":         {[][]string{{"MySQL"}, {}}, "answered"},
		"nothing":       {[][]string{{}, {}}, "unanswered"},
		"more than one": {[][]string{{"SQLite", "PostgreSQL"}, {}}, ""},
	} {
		o := answered(a, c.said)
		if o == nil && c.want != "" || o != nil && string(o.Status) != c.want {
			t.Errorf("%s: %+v, want %q", name, o, c.want)
		}
	}
}

// FuzzEvent: whatever opencode tells, what can be asked is valid, and what is not known
// cannot be allowed.
func FuzzEvent(f *testing.F) {
	for _, row := range asked {
		f.Add(`{"type":"permission.asked","properties":`+row.request+`}`, row.call)
	}
	f.Add(`{"type":"question.replied","properties":{"sessionID":"s","requestID":"que_1","answers":[["SQLite"],[]]}}`, "")
	f.Fuzz(func(t *testing.T, raw, call string) {
		e, err := readEvent([]byte(raw))
		if err != nil {
			return
		}
		answered(twoQuestions(t), e.Data.Answers)
		w := &wanted{data: e.Data, dir: "/p"}
		if p := (&part{}); call != "" && sayso.CheckJSON([]byte(call)) == nil && json.Unmarshal([]byte(call), p) == nil && len(p.State.Input) > 0 {
			w.call = p
		}
		a := &sayso.Ask{Approval: w.approval()}
		a.Normalize()
		if a.Validate(sayso.Limits{}) != nil {
			return // it is not asked
		}
		p := a.Approval
		if w.call == nil && w.Permission != permRepeated && len(p.Allows()) > 0 || len(p.Missing) > 0 && len(p.Allows()) > 0 {
			t.Fatalf("not known, and allowed: %+v", p)
		}
		for _, o := range p.Offers {
			d := w.decide(&sayso.Verdict{Offer: &o})
			if d == nil || (d.Reply == "reject") != (o.Act == sayso.ActDeny) || o.Stops != (d.Reply == "reject" && d.Message == "") {
				t.Fatalf("%+v becomes %+v", o, d)
			}
		}
	})
}
