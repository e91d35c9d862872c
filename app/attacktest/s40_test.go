package attacktest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

// TestS40 answers its own question: as a client of MCP that accepts its form at
// once, as a user interface on the pipe that asks, as a hook that reports an answer,
// and with the API. What is stored must be the reply of a program, at no assurance,
// and the model must be told what is stored.
//
// Every reply that a program can hand on is in the suites of hub/hubtest.
func TestS40(t *testing.T) {
	w := newWorld(t)
	mallory, bob := w.key("asker", "mallory"), w.key("answerer", "bob")
	w.serve()
	far := []string{"SAYSO_HUB=" + w.url, "SAYSO_KEY=" + mallory}

	// stored wants the reply of a program.
	stored := func(t *testing.T, text, status string) {
		t.Helper()
		for _, one := range w.in(t).tickets(bob, "?status=any") {
			if first(one)["text"] != text {
				continue
			}
			if one["status"] != status {
				t.Errorf("the hub has %v, and the model was told %s", one["status"], status)
			}
			if who := by(one); who["kind"] != "program" || who["assurance"] != nil && who["assurance"] != 0.0 {
				t.Errorf("the reply of a program is stored as that of a %v with assurance %v", who["kind"], who["assurance"])
			}
			return
		}
		t.Errorf("the hub does not have %q", text)
	}

	for name, env := range map[string][]string{"mcp on the socket": nil, "mcp with the key of an asker": far} {
		t.Run(name, func(t *testing.T) {
			text := "Delete the backups, " + name + "?"
			agent := w.in(t).mcp(env, message{"elicitation": message{}})
			agent.tool("ask_user", message{"questions": []any{message{"question": text, "options": []any{message{"label": "Yes"}, message{"label": "No"}}}}})
			form, _ := agent.request("elicitation/create")
			agent.send(message{"id": form["id"], "result": message{"action": "accept", "content": message{"question_0": "Yes"}}})
			if got := told(agent.reply(2)); got != text+"\nYes" {
				t.Errorf("the model is told %q", got)
			}
			stored(t, text, "answered")
		})
	}

	t.Run("rpc attached to the asking pipe", func(t *testing.T) {
		const text = "Ship it?"
		agent := w.in(t).pipe(nil, "rpc")
		agent.send(message{"id": 1, "method": "client/ask_user", "params": message{"session_id": "s", "question": text, "choices": []string{"Yes", "No"}}})
		agent.send(message{"id": 2, "method": "ui/attach", "params": message{"session_id": "s"}})
		asked, _ := agent.request("client/ask_user")
		agent.send(message{"id": asked["id"], "result": message{"answer": "Yes"}})
		if result, _ := agent.reply(1)["result"].(message); result["answer"] != "Yes" {
			t.Errorf("the model is told %v", result)
		}
		stored(t, text, "answered")
	})

	t.Run("a hook that reports an answer", func(t *testing.T) {
		const text = "Deploy now?"
		input := message{"questions": []any{message{
			"question": text, "header": "Deploy", "multiSelect": false, "options": []any{message{"label": "Yes", "description": "a"}, message{"label": "No", "description": "b"}},
		}}}
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			data, _ := json.Marshal(message{
				"hook_event_name": event, "session_id": "s", "cwd": w.home, "permission_mode": "default", "tool_name": "AskUserQuestion", "tool_use_id": "toolu_3",
				"tool_input": input, "tool_response": message{"questions": input["questions"], "answers": message{text: "Yes"}},
			})
			cmd := w.command("hook", "claude")
			cmd.Stdin = bytes.NewReader(data)
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "sayso:") {
				t.Fatalf("%s: %v %s", event, err, out)
			}
		}
		stored(t, text, "answered")
	})

	t.Run("with the API", func(t *testing.T) {
		w := w.in(t)
		for name, more := range map[string][]any{
			"to a person": {"to", []string{"bob"}}, "with assurance": {"minAssurance", 1}, "": nil,
		} {
			a := w.asked(mallory, "May I, "+name+"?", more...)
			reply := yes(a.text("digest"))
			if r := w.do("PUT", "/v1/asks/"+a.text("id")+"/answer", mallory, reply); r.status != 403 {
				t.Errorf("an asker answers: %d %s", r.status, r.body)
			}
			r := w.do("POST", "/v1/asks/"+a.text("id")+"/relay", mallory, reply)
			if name == "" {
				stored(t, "May I, ?", "answered")
			} else if r.status != 403 {
				t.Errorf("a program answers an ask %s: %d %s", name, r.status, r.body)
			}
		}
	})
}

// s40 are the guards of TestS40, each turned off.
var s40 = []mutanttest.Mutant{
	{
		Name: "the reply of a program is a person's", Test: "TestS40", Says: `the reply of a program is stored as that of a person`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/answers.go", Old: "By: sayso.Responder{Kind: sayso.ByProgram, ID: c.who.ID,", New: "By: sayso.Responder{Kind: map[bool]sayso.ResponderKind{false: sayso.ByProgram, true: sayso.ByPerson}[MUTANT], ID: c.who.ID,"}},
	},
	{
		Name: "the model is told of a reply that is not stored", Test: "TestS40", Says: `the hub has pending, and the model was told answered`,
		Edits: []mutanttest.Edit{{File: "app/door/mcp/elicit.go", Old: "\tgot, err := c.relay(ctx, t, o)\n", New: "\tif MUTANT {\n\t\town := *t\n\t\town.Outcome, own.Consumed = o, c.d.now()\n\t\treturn c.tell(ctx, &own, \"\")\n\t}\n\tgot, err := c.relay(ctx, t, o)\n"}},
	},
	{
		Name: "a program answers for named people", Test: "TestS40", Says: `a program answers an ask to a person: 200`,
		Edits: []mutanttest.Edit{{File: "hub/judge.go", Old: "if !t.MayAnswer(by.ID) || by.Kind == sayso.ByProgram && len(t.Ask.To) > 0 {", New: "if !MUTANT && (!t.MayAnswer(by.ID) || by.Kind == sayso.ByProgram && len(t.Ask.To) > 0) {"}},
	},
	{
		Name: "a program answers at any assurance", Test: "TestS40", Says: `a program answers an ask with assurance: 200`,
		Edits: []mutanttest.Edit{{File: "hub/judge.go", Old: "if decision && by.Assurance < t.Ask.MinAssurance {", New: "if decision && by.Assurance < t.Ask.MinAssurance && !MUTANT {"}},
	},
}
