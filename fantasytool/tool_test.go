package fantasytool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"charm.land/fantasy"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/fantasytool"
	"github.com/saysohq/sayso/saysotest"
)

const valid = `{"questions":[{"question":"Which database?","header":"DB","options":[{"label":"PostgreSQL"},{"label":"SQLite"}]}]}`

// model calls the tool with some arguments, and then says what it was told.
type model struct {
	fantasy.LanguageModel
	input string
	calls []fantasy.Call
}

func (m *model) Generate(_ context.Context, c fantasy.Call) (*fantasy.Response, error) {
	m.calls = append(m.calls, c)
	last := c.Prompt[len(c.Prompt)-1]
	if last.Role != fantasy.MessageRoleTool {
		return &fantasy.Response{
			FinishReason: fantasy.FinishReasonToolCalls,
			Content:      fantasy.ResponseContent{fantasy.ToolCallContent{ToolCallID: "t1", ToolName: c.Tools[0].GetName(), Input: m.input}},
		}, nil
	}
	result, _ := fantasy.AsMessagePart[fantasy.ToolResultPart](last.Content[0])
	text := ""
	switch o := result.Output.(type) {
	case fantasy.ToolResultOutputContentText:
		text = o.Text
	case fantasy.ToolResultOutputContentError:
		text = "ERROR " + o.Error.Error()
	}
	return &fantasy.Response{FinishReason: fantasy.FinishReasonStop, Content: fantasy.ResponseContent{fantasy.TextContent{Text: text}}}, nil
}

func (*model) Provider() string { return "test" }
func (*model) Model() string    { return "test" }

func TestInAnAgent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		input  string
		person sayso.Resolver
		want   string // what the model is told
		asks   int
	}{
		{"answered", valid, saysotest.Answers("SQLite"), "Which database?\nSQLite", 1},
		{"own words", valid, saysotest.Answers("none of them"), "Which database?\nnone of them", 1},
		{"cancelled", valid, saysotest.Cancels(), "[cancelled by user]", 1},
		{"invalid", `{"questions":[]}`, saysotest.Answers("x"), "ERROR ", 0},
		{"nobody there", valid, saysotest.Unreachable(), "", 1},
		{"no resolver", valid, nil, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &model{input: tt.input}
			r, err := fantasy.NewAgent(m, fantasy.WithTools(fantasytool.NewTool(dialect.Text, tt.person))).
				Generate(t.Context(), fantasy.AgentCall{Prompt: "go"})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Response.Content.Text()
			if tt.want != "" && !strings.HasPrefix(got, tt.want) || got == "" || len(m.calls) != 2 {
				t.Errorf("after %d calls the model was told %q, want %q", len(m.calls), got, tt.want)
			}
			if p, ok := tt.person.(*saysotest.Person); ok && len(p.Asks()) != tt.asks {
				t.Errorf("%d asks", len(p.Asks()))
			}
		})
	}
}

// What breaks ends the agent's loop: the model is told nothing that it could take
// for an answer. (Fantasy v0.42.0 keeps the error to itself in Generate.)
func TestBreaks(t *testing.T) {
	t.Parallel()
	broken := errors.New("the line is cut")
	tool := fantasytool.NewTool(dialect.Text, saysotest.Breaks(broken))
	if _, err := tool.Run(t.Context(), fantasy.ToolCall{ID: "t1", Input: valid}); !errors.Is(err, broken) {
		t.Error(err)
	}
	m := &model{input: valid}
	r, err := fantasy.NewAgent(m, fantasy.WithTools(tool)).Generate(t.Context(), fantasy.AgentCall{Prompt: "go"})
	if err == nil && len(r.Steps[0].Content.ToolResults()) > 0 || len(m.calls) != 1 {
		t.Fatalf("%v after %d calls", err, len(m.calls))
	}
}

// An answer that comes later ends the turn, and is put in its place.
func TestPending(t *testing.T) {
	t.Parallel()
	m := &model{input: valid}
	a := fantasy.NewAgent(m, fantasy.WithTools(fantasytool.NewTool(dialect.Text, saysotest.Later())))
	r, err := a.Generate(t.Context(), fantasy.AgentCall{Prompt: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.calls) != 1 {
		t.Fatalf("the model was called %d times", len(m.calls))
	}
	results := r.Steps[0].Content.ToolResults()
	p, ok := fantasytool.PendingIn(results[0])
	if !ok || p.ToolCall != "t1" || p.Ask.Questions[0].Text != "Which database?" {
		t.Fatalf("pending: %+v, %v", p, ok)
	}
	// Days later, in another process.
	kept, err := json.Marshal(r.Steps[0].Messages)
	if err != nil {
		t.Fatal(err)
	}
	var messages []fantasy.Message
	if err := json.Unmarshal(kept, &messages); err != nil {
		t.Fatal(err)
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}}
	messages, err = fantasytool.Answer(messages, p, dialect.Text, o)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := m.Generate(t.Context(), fantasy.Call{Prompt: messages})
	if err != nil || reply.Content.Text() != "Which database?\nSQLite" {
		t.Errorf("the model was told %q, %v", reply.Content.Text(), err)
	}
	if _, err := fantasytool.Answer(messages, p, dialect.Text, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q9"}}}); err == nil {
		t.Error("an answer to another question is taken")
	}
	p.ToolCall = "t2"
	if _, err := fantasytool.Answer(messages, p, dialect.Text, o); err == nil {
		t.Error("an answer to another call is taken")
	}
	if _, ok := fantasytool.PendingIn(fantasy.ToolResultContent{ClientMetadata: `{"answers":{}}`}); ok {
		t.Error("an answer is taken for pending")
	}
}

// The model is told the dialect's own schema: reflection would lose the limits.
func TestSchema(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		spec := d.Spec()
		info := fantasytool.NewToolNamed("ask_me", d, nil).Info()
		var want struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(spec.Schema, &want); err != nil {
			t.Fatal(err)
		}
		if info.Name != "ask_me" || info.Description != spec.Description || !reflect.DeepEqual(info.Parameters, want.Properties) ||
			len(info.Required) != len(want.Required) {
			t.Errorf("%s: %+v", spec.Dialect, info)
		}
		if strings.Contains(string(spec.Schema), "minItems") {
			b, err := json.Marshal(info.Parameters)
			if err != nil || !strings.Contains(string(b), "minItems") {
				t.Errorf("%s: the limits are lost: %s", spec.Dialect, b)
			}
		}
	}
	tool := fantasytool.NewTool(dialect.JSON, nil)
	if tool.Info().Name != "ask_user_question" {
		t.Error(tool.Info().Name)
	}
	clear(tool.Info().Parameters) // as fantasy may
	if len(tool.Info().Parameters) == 0 {
		t.Error("what the tool tells can be changed")
	}
}

// Every public vector of every dialect comes out of the tool as it is written.
func TestVectors(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/vectors/*/*.json")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	checked := 0
	for _, name := range files {
		var v struct {
			Dialect string
			Call    json.RawMessage
			Ask     *sayso.Ask
			Outcome *sayso.Outcome
			Result  *struct {
				Text     string
				IsError  bool
				StopTurn bool
			}
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d, ok := dialect.ByName(v.Dialect)
		if !ok || v.Call == nil || v.Ask == nil || v.Result == nil || v.Outcome == nil {
			continue
		}
		resolver := sayso.ResolverFunc(func(context.Context, *sayso.Ask) (*sayso.Outcome, error) { return v.Outcome, nil })
		from := v.Ask.Origin
		tool := fantasytool.New(&sayso.Tool{Dialect: d, Resolver: resolver}, func(context.Context) fantasytool.Origin {
			return fantasytool.Origin{Conversation: from.Conversation, Agents: from.Agents, Host: from.Host, Workspace: from.Workspace, Branch: from.Branch}
		})
		r, err := tool.Run(t.Context(), fantasy.ToolCall{ID: from.ToolCall, Name: d.Spec().Name, Input: string(v.Call)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		pending := v.Outcome.Status == sayso.StatusPending
		if r.Content != v.Result.Text || r.IsError != v.Result.IsError && !pending || r.StopTurn != (v.Result.StopTurn || pending) {
			t.Errorf("%s: %+v, want %+v", name, r, *v.Result)
		}
		checked++
	}
	if checked < 100 {
		t.Errorf("only %d vectors", checked)
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	ann := saysotest.Answers("SQLite")
	tool := fantasytool.New(&sayso.Tool{Dialect: dialect.JSON, Resolver: ann}, func(context.Context) fantasytool.Origin {
		return fantasytool.Origin{Conversation: "c1", Agents: []string{"planner"}, Host: "h", Workspace: "w", Branch: "b"}
	})
	if _, err := tool.Run(t.Context(), fantasy.ToolCall{ID: "t1", Input: valid}); err != nil {
		t.Fatal(err)
	}
	want := sayso.Origin{Conversation: "c1", ToolCall: "t1", Agents: []string{"planner"}, Host: "h", Workspace: "w", Branch: "b"}
	if got := ann.Asks()[0].Origin; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	tool.SetProviderOptions(fantasy.ProviderOptions{})
	if tool.ProviderOptions() == nil {
		t.Error("provider options are lost")
	}
}
