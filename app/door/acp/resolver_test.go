package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"reflect"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/acp"
)

func twoQuestions() *sayso.Ask {
	a := &sayso.Ask{
		ID: "a1", Origin: sayso.Origin{Conversation: "ses_1", ToolCall: "toolu_1"},
		Questions: []sayso.Question{
			{Header: "Framework", Text: "Which framework do you prefer?", Options: []sayso.Option{
				{Label: "React", Description: "Popular UI library"}, {Label: "Vue", Description: "Progressive framework"},
			}},
			{Text: "Which features?", Multi: true, Options: []sayso.Option{{Label: "Auth"}, {Label: "Search, full text"}}},
		},
	}
	a.Normalize()
	return a
}

// TestToolInfo is the example of seed 2.
func TestToolInfo(t *testing.T) {
	a := twoQuestions()
	a.Questions = a.Questions[:1]
	b, err := json.Marshal(acp.ToolInfo(a))
	const want = `{"content":[{"content":{"text":"Which framework do you prefer?\n  - React: Popular UI library\n  - Vue: Progressive framework","type":"text"},"type":"content"}],"kind":"think","title":"Framework","toolCallId":"toolu_1"}`
	if err != nil || string(b) != want {
		t.Errorf("got %s, %v", b, err)
	}
}

// editor is a client of the SDK at the end of a pipe, which replies by method.
func editor(t *testing.T, reply func(method string, params json.RawMessage) (any, *sdk.RequestError)) *sdk.Connection {
	fromAgent, toEditor := io.Pipe()
	fromEditor, toAgent := io.Pipe()
	e := sdk.NewConnection(func(_ context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
		return reply(method, params)
	}, toAgent, fromAgent)
	c := sdk.NewConnection(nil, toEditor, fromEditor)
	e.SetLogger(slog.New(slog.DiscardHandler))
	c.SetLogger(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { toEditor.Close(); toAgent.Close() })
	return c
}

// permissions asks over a raw connection, as the SDK's own agent side does.
type permissions struct{ conn *sdk.Connection }

func (p permissions) RequestPermission(ctx context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	return sdk.SendRequest[sdk.RequestPermissionResponse](p.conn, ctx, "session/request_permission", r)
}

var _ acp.Permissions = (*sdk.AgentSideConnection)(nil)

func TestResolver(t *testing.T) {
	var heard []string
	conn := editor(t, func(method string, params json.RawMessage) (any, *sdk.RequestError) {
		heard = append(heard, method+" "+string(params))
		switch {
		case method == "elicitation/create":
			return json.RawMessage(`{"action":"accept","content":{"question_0":"Vue","question_0_custom":"v3","question_1":["Search, full text"],"question_1_custom":"Export"}}`), nil
		case len(heard) == 1:
			return json.RawMessage(`{"outcome":{"outcome":"selected","optionId":"__other__","_meta":{"customText":"Svelte"}}}`), nil
		}
		return json.RawMessage(`{"outcome":{"outcome":"selected","optionId":"Auth","_meta":{"optionIds":["Auth","Search, full text"]}}}`), nil
	})
	by := sayso.Responder{Kind: sayso.ByProgram, Surface: "editor"}

	o, err := (&acp.Resolver{Permissions: permissions{conn}}).Ask(t.Context(), twoQuestions())
	want := &sayso.Outcome{Status: sayso.StatusAnswered, By: by, Answers: []sayso.Answer{
		{QuestionID: "q1", Other: "Svelte"}, {QuestionID: "q2", Selected: []string{"o1", "o2"}},
	}}
	if err != nil || !reflect.DeepEqual(o, want) {
		t.Errorf("by permission: %+v, %v", o, err)
	}

	heard = nil
	o, err = (&acp.Resolver{Forms: acp.Over(conn)}).Ask(t.Context(), twoQuestions())
	want.Answers = []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}, Note: "v3"}, {QuestionID: "q2", Selected: []string{"o2"}, Other: "Export"}}
	if err != nil || !reflect.DeepEqual(o, want) {
		t.Errorf("by form: %+v, %v", o, err)
	}
	const form = `elicitation/create {"mode":"form","sessionId":"ses_1","toolCallId":"toolu_1","message":"Asked by: unverified\n2 questions\n\nPlease answer the following questions.","requestedSchema":{"type":"object","properties":{` +
		`"question_0":{"type":"string","title":"Framework","description":"Which framework do you prefer?","oneOf":[{"const":"React","title":"React","description":"Popular UI library"},{"const":"Vue","title":"Vue","description":"Progressive framework"}]},` +
		`"question_0_custom":{"type":"string","title":"Other","description":"Type your own answer, or add a note to the option you chose above (optional)."},` +
		`"question_1":{"type":"array","description":"Which features?","items":{"anyOf":[{"const":"Auth","title":"Auth"},{"const":"Search, full text","title":"Search, full text"}]}},` +
		`"question_1_custom":{"type":"string","title":"Other","description":"Type your own answer, or add a note to the option you chose above (optional)."}}}}`
	if len(heard) != 1 || heard[0] != form {
		t.Errorf("the form was\n%s, want\n%s", heard, form)
	}
}

// TestResolverCannot: what is no answer is never one.
func TestResolverCannot(t *testing.T) {
	refuse := editor(t, func(method string, _ json.RawMessage) (any, *sdk.RequestError) {
		return nil, sdk.NewMethodNotFound(method)
	})
	secret := twoQuestions()
	secret.Questions[0].Secret = true
	for name, c := range map[string]struct {
		r *acp.Resolver
		a *sayso.Ask
	}{
		"no editor":    {&acp.Resolver{}, twoQuestions()},
		"a secret":     {&acp.Resolver{Forms: acp.Over(refuse)}, secret},
		"no forms":     {&acp.Resolver{Forms: acp.Over(refuse)}, twoQuestions()},
		"not even one": {&acp.Resolver{Permissions: permissions{refuse}}, twoQuestions()},
	} {
		if o, err := c.r.Ask(t.Context(), c.a); !errors.Is(err, sayso.ErrUnreachable) {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}
