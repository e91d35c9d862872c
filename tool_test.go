package sayso_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

// plain is the smallest dialect: the arguments are questions in our own words,
// the result is the status and the answers.
type plain struct{ limits sayso.Limits }

func (d plain) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{Dialect: "plain", Name: "ask", Limits: d.limits}
}

func (plain) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	a := &sayso.Ask{}
	return a, json.Unmarshal(arguments, &a.Questions)
}

func (plain) Format(_ *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	r := &sayso.Result{Text: string(o.Status)}
	for _, ans := range o.Answers {
		r.Text += " " + ans.QuestionID + "=" + strings.Join(ans.Selected, "+") + ans.Other
	}
	return r, nil
}

// odd is plain with one of its methods replaced.
type odd struct {
	plain
	parse  func() (*sayso.Ask, error)
	format func() (*sayso.Result, error)
}

func (d odd) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	if d.parse == nil {
		return d.plain.Parse(arguments)
	}
	return d.parse()
}

func (d odd) Format(*sayso.Ask, *sayso.Outcome) (*sayso.Result, error) { return d.format() }

// terse is plain with its own words for a refusal.
type terse struct{ plain }

func (terse) Refuse(e *sayso.InvalidError) *sayso.Result {
	return &sayso.Result{Text: fmt.Sprintf("%d problems", len(e.Problems)), IsError: true}
}

const twoQuestions = `[
	{"text":" Which database?\u001b[2J ","options":[{"label":"PostgreSQL (Recommended)"},{"label":"SQLite"}]},
	{"id":"name","text":"Its name?"}]`

func TestPrepare(t *testing.T) {
	t.Parallel()
	tool := &sayso.Tool{Dialect: plain{}}
	call := sayso.Call{
		ID: "t1", Conversation: "c1", Agents: []string{"planner", "re\u202esearcher"},
		Host: "host", Workspace: "payments-api", Branch: "main", Arguments: json.RawMessage(twoQuestions),
	}
	a, refusal := tool.Prepare(call)
	if refusal != nil {
		t.Fatalf("refused: %s", refusal.Text)
	}
	if a.Dialect != "plain" || a.Origin.Conversation != "c1" || a.Origin.ToolCall != "t1" ||
		a.Origin.Host != "host" || a.Origin.Workspace != "payments-api" || a.Origin.Branch != "main" {
		t.Errorf("dialect %q, origin %+v", a.Dialect, a.Origin)
	}
	if want := []string{"planner", "re<U+202E>searcher"}; !slices.Equal(a.Origin.Agents, want) {
		t.Errorf("agents are %q, want %q", a.Origin.Agents, want)
	}
	if call.Agents[1] != "re\u202esearcher" {
		t.Error("the caller's list of agents was changed")
	}
	if a.Questions[0].Text != "Which database?␛[2J" || a.Questions[0].ID != "q1" || a.Questions[1].ID != "name" {
		t.Errorf("the ask is not normalized: %+v", a.Questions)
	}
	if a.ID == "" || a.ID != a.DeriveID() {
		t.Errorf("id is %q", a.ID)
	}
	again, _ := tool.Prepare(call)
	if again.ID != a.ID {
		t.Error("the same call is another ask")
	}
	if a.Final {
		t.Error("the answer is final")
	}
	if final, _ := (&sayso.Tool{Dialect: plain{}, Final: true}).Prepare(call); !final.Final || final.ID != final.DeriveID() {
		t.Errorf("the answer is final: %t, as ask %q", final.Final, final.ID)
	}
	call.ID = "t2"
	if other, _ := tool.Prepare(call); other.ID == a.ID {
		t.Error("another call is the same ask")
	}
	call.ID = ""
	if other, _ := tool.Prepare(call); other.ID != "" {
		t.Error("a call without an id has an ask with one")
	}
}

func TestPrepareRefuses(t *testing.T) {
	t.Parallel()
	partial := func(err error) func() (*sayso.Ask, error) {
		return func() (*sayso.Ask, error) { return &sayso.Ask{Questions: []sayso.Question{{}}}, err }
	}
	malformed := &sayso.InvalidError{}
	malformed.Add(sayso.ErrMalformed, "questions[0].multi", "is a number; send true or false")
	const nobody = "ask: the call is not valid, so nobody was asked. Correct this and call again:"
	tests := []struct {
		name    string
		dialect sayso.Dialect
		args    string
		want    string
	}{
		{"not JSON", plain{}, `[`, nobody + "\n- unexpected end of JSON input\n- questions is empty; ask at least one question"},
		{"invalid", plain{strict}, `[{"header":"H","text":"\u001b","options":[{"label":"A"}]}]`, nobody +
			"\n- questions[0].text is empty; write the question out\n- questions[0].options has 1 option; offer 2 to 4"},
		{"malformed and invalid", odd{parse: partial(fmt.Errorf("reading: %w", malformed))}, ``, nobody +
			"\n- questions[0].multi is a number; send true or false\n- questions[0].text is empty; write the question out"},
		{"nothing read", odd{parse: func() (*sayso.Ask, error) { return nil, malformed }}, ``, nobody +
			"\n- questions[0].multi is a number; send true or false"},
		{"nothing said", odd{parse: func() (*sayso.Ask, error) { return nil, nil }}, ``, nobody +
			"\n- the arguments hold nothing to ask"},
		{"an error with escapes", odd{parse: func() (*sayso.Ask, error) { return nil, errors.New("\x1b[2J\nbad") }}, ``, nobody +
			"\n- ␛[2J↵bad"},
		{"the dialect's own words", terse{}, `[{}, {}]`, "2 problems"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := &sayso.Tool{Dialect: tt.dialect, Resolver: sayso.ResolverFunc(func(context.Context, *sayso.Ask) (*sayso.Outcome, error) {
				t.Error("somebody was asked")
				return nil, nil
			})}
			r, err := tool.Call(t.Context(), sayso.Call{ID: "t", Arguments: json.RawMessage(tt.args)})
			if err != nil {
				t.Fatal(err)
			}
			if !r.IsError || r.Text != tt.want {
				t.Errorf("result is %+v, want\n%s", r, tt.want)
			}
		})
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    *sayso.Outcome
		err  error
		want string
		fail error
	}{
		{name: "answered", o: answered(sayso.Answer{QuestionID: "q1", Selected: []string{"o1"}}), want: "answered q1=o1"},
		{name: "declined", o: &sayso.Outcome{Status: sayso.StatusDeclined}, want: "declined"},
		{name: "empty", o: answered(sayso.Answer{QuestionID: "name", Other: "\u200b"}), want: "unanswered name=\u200b"},
		{name: "unreachable", err: fmt.Errorf("no terminal: %w", sayso.ErrUnreachable), want: "unreachable"},
		{name: "broken", err: errBroken, fail: errBroken},
		{name: "does not fit", o: answered(sayso.Answer{QuestionID: "q9", Other: "x"}), fail: sayso.ErrUnknownQuestion},
		{name: "blank option", o: answered(sayso.Answer{QuestionID: "q1", Selected: []string{""}}), fail: sayso.ErrUnknownOption},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := &sayso.Tool{Dialect: plain{}, Resolver: after(0, tt.o, tt.err)}
			r, err := tool.Call(t.Context(), sayso.Call{Arguments: json.RawMessage(twoQuestions)})
			if tt.fail != nil {
				if !errors.Is(err, tt.fail) || r != nil {
					t.Errorf("got %+v, %v, want error %v", r, err, tt.fail)
				}
				return
			}
			if err != nil || r.Text != tt.want {
				t.Errorf("got %+v, %v, want %q", r, err, tt.want)
			}
		})
	}
}

func TestCallWithoutResolver(t *testing.T) {
	t.Parallel()
	r, err := (&sayso.Tool{Dialect: plain{}}).Call(t.Context(), sayso.Call{Arguments: json.RawMessage(twoQuestions)})
	if err != nil || r.Text != "unreachable" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestWithoutDialect holds that a host that forgot the dialect is told so, and by no panic.
func TestWithoutDialect(t *testing.T) {
	t.Parallel()
	const want = "Tool.Dialect is not set; set it to the dialect of your agent"
	tool := &sayso.Tool{Name: "ask", Resolver: sayso.Deny("")}
	c := sayso.Call{Arguments: json.RawMessage(twoQuestions)}
	if _, err := tool.Call(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Call says %v", err)
	}
	if a, r := tool.Prepare(c); a != nil || r == nil || !r.IsError || !strings.Contains(r.Text, want) {
		t.Errorf("Prepare returns %+v, %+v", a, r)
	}
	if _, err := tool.Finish(database(), answered(sayso.Answer{QuestionID: "q2", Other: "x"})); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Finish says %v", err)
	}
	if s := tool.Spec(); s.Name != "ask" || s.Dialect != "" {
		t.Errorf("Spec is %+v", s)
	}
}

func TestFinishReportsTheDialect(t *testing.T) {
	t.Parallel()
	tool := &sayso.Tool{Dialect: odd{format: func() (*sayso.Result, error) { return nil, errBroken }}}
	if _, err := tool.Finish(database(), &sayso.Outcome{Status: sayso.StatusDeclined}); !errors.Is(err, errBroken) {
		t.Errorf("error is %v, want the dialect's", err)
	}
}

// TestFinishIsPrintable holds that no dialect can hand on a control sequence, or
// make a line that it did not mean.
func TestFinishIsPrintable(t *testing.T) {
	t.Parallel()
	tool := &sayso.Tool{Dialect: plain{}}
	a := database()
	r, err := tool.Finish(a, answered(sayso.Answer{QuestionID: "q2", Other: "a\tb\nc\r\x1b[2Jd\x00\x7f\u009be\xff😀"}))
	if err != nil {
		t.Fatal(err)
	}
	if want := "answered q2=a\tb\nc␍␛[2Jd␀\ufffd\ufffde\ufffd😀"; r.Text != want {
		t.Errorf("text is %q, want %q", r.Text, want)
	}
}

func TestToolName(t *testing.T) {
	t.Parallel()
	tool := &sayso.Tool{Dialect: plain{}}
	if got := tool.Spec().Name; got != "ask" {
		t.Errorf("name is %q, want the dialect's", got)
	}
	tool.Name = "AskUserQuestion"
	if got := tool.Spec().Name; got != "AskUserQuestion" {
		t.Errorf("name is %q, want the host's", got)
	}
	if _, r := tool.Prepare(sayso.Call{Arguments: json.RawMessage(`[]`)}); !strings.HasPrefix(r.Text, "AskUserQuestion: ") {
		t.Errorf("the refusal is %q", r.Text)
	}
}
