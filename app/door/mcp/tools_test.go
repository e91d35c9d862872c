package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/mcp"
)

// TestTools: what clients are told about the tools, to the order of the members
// of the schemas, so that none hides them or wants a permission for them.
func TestTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.connect(&mcp.Options{Permission: true})
		a.initialize("2025-11-25", `{}`)
		a.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		reply := []byte(a.receive().line)
		var golden bytes.Buffer
		if err := json.Indent(&golden, reply, "", "  "); err != nil {
			t.Fatal(err)
		}
		compare(t, filepath.Join("testdata", "tools.json"), append(golden.Bytes(), '\n'))
		var list struct {
			Result struct {
				Tools []struct {
					Name        string
					Meta        map[string]any `json:"_meta"`
					Annotations map[string]any
				}
			}
		}
		if err := json.Unmarshal(reply, &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Result.Tools {
			names = append(names, tool.Name)
			if tool.Meta["anthropic/alwaysLoad"] != true || tool.Annotations["readOnlyHint"] != true || tool.Annotations["destructiveHint"] != false || tool.Annotations["openWorldHint"] != false {
				t.Errorf("%+v", tool)
			}
		}
		if want := []string{"ask_user", "ask_user_async", "check_answer", "past_decisions", "permission_prompt", "withdraw"}; !reflect.DeepEqual(names, want) {
			t.Errorf("%q", names)
		}
	})
}

// TestCalls: what the model is told of calls that need nobody, or somebody else.
func TestCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.connect(&mcp.Options{Origin: sayso.Origin{Conversation: "c", Workspace: "shop"}})
		a.initialize("2025-11-25", `{}`)
		call := func(tool, arguments string) message {
			t.Helper()
			a.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,"_meta":{"claudecode/toolUseId":"toolu_1"}}}`)
			return a.receive()
		}
		for _, c := range []struct{ tool, arguments, want string }{
			{"ask_user", `{}`, "so nobody was asked"},
			{"ask_user", `{"questions":[{"question":""}]}`, "questions[0].question"},
			{"ask_user", `{"questions":[{"question":"Your password?","secret":true}]}`, "questions[0].secret"},
			{"ask_user", `{"questions":[{"question":"A?","options":["x"]}]}`, "questions[0].options"},
			{"ask_user_async", `[]`, "so nobody was asked"},
			{"check_answer", `{}`, "Give the handle"},
			{"check_answer", `{"handle":"made up"}`, "There is no question with this handle."},
			{"withdraw", `{"handle":"made up"}`, "There is no question with this handle."},
		} {
			if m := call(c.tool, c.arguments); !m.Result.IsError || !strings.Contains(m.Result.Content[0].Text, c.want) {
				t.Errorf("%s %s: %s", c.tool, c.arguments, m.line)
			}
		}
		if n := w.tickets(); n != 0 {
			t.Fatalf("%d asks were made", n)
		}

		handle, _ := call("ask_user_async", strings.Replace(database, `{`, `{"agents":["planner","researcher"],`, 1)).Result.Meta["sayso/handle"].(string)
		got := w.open()
		want := sayso.Origin{Conversation: "c", Workspace: "shop", Host: "test", Agents: []string{"planner", "researcher"}, ToolCall: got.Ask.Origin.ToolCall, Via: "socket"}
		if !reflect.DeepEqual(got.Ask.Origin, want) || got.Handle != handle {
			t.Errorf("asked by %+v", got.Ask.Origin)
		}
		if note, _ := got.Ask.Metadata["mcp"].(map[string]any); note["toolUseId"] != "toolu_1" {
			t.Errorf("noted %v", got.Ask.Metadata)
		}
		if m := call("check_answer", `{"handle":"`+handle+`","wait_seconds":0}`); m.Result.Meta["sayso/status"] != "pending" {
			t.Errorf("%s", m.line)
		}
		if m := call("withdraw", `{"handle":"`+handle+`","reason":"found it"}`); m.Result.Content[0].Text != "The question was withdrawn." {
			t.Errorf("%s", m.line)
		}
		if now, err := w.client.Get(context.Background(), handle); err != nil || now.Status() != sayso.StatusCancelled || now.Outcome.Reason != "found it" || now.Outcome.By.Kind != sayso.ByAsker {
			t.Errorf("%+v %v", now, err)
		}

		// A question that was answered first is not withdrawn.
		handle, _ = call("ask_user_async", colour).Result.Meta["sayso/handle"].(string)
		w.answer("Red")
		if m := call("withdraw", `{"handle":"`+handle+`"}`); m.Result.Content[0].Text != "The question was closed before it could be withdrawn:\n\nWhich colour?\nRed" {
			t.Errorf("%s", m.line)
		}
	})
}

// TestUnreachable: without a hub the model is told so, as an error.
func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.connect(nil)
		a.initialize("2025-11-25", `{}`)
		w.stop()
		a.send(callTool("1", "ask_user", database))
		if m := a.receive(); !m.Result.IsError || !strings.Contains(m.Result.Content[0].Text, "Nobody could be asked") {
			t.Errorf("%s", m.line)
		}
		w.start()
	})
}

// TestHandles: of ten thousand handles that are changed or made up, none is
// taken.
func TestHandles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.connect(nil)
	a.initialize("2025-11-25", `{}`)
	a.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user_async","arguments":` + database + `}}`)
	asked := a.receive().Result
	long, _ := asked.Meta["sayso/handle"].(string)
	short := handleIn(t, asked.Content[0].Text)
	r := rand.New(rand.NewPCG(1, 2))
	same := func(s string) string { // as a short one is read
		return strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1", "u", "v").Replace(strings.ToLower(s))
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ."
	const n = attacks
	go func() {
		for i := range n {
			handle := []string{long, short}[i/8%2]
			b := []byte(handle)
			switch i % 4 {
			case 0, 1:
				for at := r.IntN(len(b)); string(b) == handle || same(string(b)) == same(short); {
					b[at] = letters[r.IntN(len(letters))]
				}
			case 2:
				b = b[:r.IntN(len(b))]
			case 3:
				b = append(b, letters[r.IntN(len(letters)-2)], 'x')
			}
			a.send(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i+2) + `,"method":"tools/call","params":{"name":"` + []string{"check_answer", "withdraw"}[i/4%2] + `","arguments":{"handle":` + strconv.Quote(string(b)) + `,"wait_seconds":0}}}`)
		}
	}()
	for range n {
		if m := a.receive(); !m.Result.IsError {
			t.Fatalf("taken: %s", m.line)
		}
	}
	if !w.open().Open() {
		t.Error("the ask was withdrawn")
	}
}

// TestPermission: Claude Code's questions are answered in the input of its tool,
// and its other tools with yes or no.
func TestPermission(t *testing.T) {
	questions := `{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]}]}`
	for _, c := range []struct {
		name, tool, input, option string
		status                    sayso.Status
		want                      string
	}{
		{"its own questions", "AskUserQuestion", questions, "SQLite", "", `{"behavior":"allow","updatedInput":{"answers":{"Which database?":"SQLite"},` + questions[1:] + `}`},
		{"declined", "AskUserQuestion", questions, "", sayso.StatusDeclined, `{"behavior":"deny","message":"The user doesn't want to proceed with this tool use. The tool use was rejected."}`},
		{"allowed", "Bash", `{"command":"rm -rf build"}`, "Allow", "", `{"behavior":"allow","updatedInput":{"command":"rm -rf build"}}`},
		{"not allowed", "Bash", `{"command":"rm -rf /"}`, "Deny", "", `{"behavior":"deny","message":"The user denied this request."}`},
		{"no decision", "Bash", `{"command":"rm -rf /"}`, "", sayso.StatusUnanswered, `{"behavior":"deny","message":"Nobody allowed this: ✗ Permission: came back without an answer"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				a := w.connect(&mcp.Options{Permission: true})
				a.initialize("2025-11-25", `{}`)
				a.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"permission_prompt","arguments":{"tool_name":"` + c.tool + `","input":` + c.input + `,"tool_use_id":"toolu_1"}}}`)
				<-time.After(time.Hour) // it waits
				if c.option != "" {
					w.answer(c.option)
				} else if _, err := w.client.Answer(context.Background(), w.open(), &sayso.Outcome{Status: c.status}); err != nil {
					t.Fatal(err)
				}
				if m := a.receive(); m.Result.Content[0].Text != c.want {
					t.Errorf("%s", m.line)
				}
			})
		})
	}
}

// TestTaskForms: a client that polls may be let answer; what it says by itself
// decides nothing.
func TestTaskForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		l := &ladder{t: t, w: w, era: "2026-07-28", capabilites: declares[3].capabilities, start: time.Now()}
		l.a = w.connect(&mcp.Options{TaskForms: true})
		task := l.aboutTask
		l.call(1, "ask_user", database, "")
		id := l.receive().Result.TaskID
		if m := task("get", id, ""); m.Result.Status != "input_required" || !strings.Contains(m.line, `"question_0"`) {
			t.Fatal(m.line)
		}
		<-time.After(5 * time.Second)
		for _, wrong := range []string{`{"ask":{"action":"accept","content":{"question_0":"MySQL"}}}`, `{"other":{"action":"accept","content":{"question_0":"SQLite"}}}`, `{}`} {
			task("update", id, `,"inputResponses":`+wrong)
			if m := task("get", id, ""); m.Result.Status != "input_required" {
				t.Errorf("after %s: %s", wrong, m.line)
			}
		}
		task("update", id, `,"inputResponses":{"ask":{"action":"accept","content":{"question_0":"SQLite"}}}`)
		if m := task("get", id, ""); m.Result.Status != "completed" || !strings.Contains(m.line, `Which database?\nSQLite`) {
			t.Error(m.line)
		}

		l.call(1, "ask_user", colour, "")
		id = l.receive().Result.TaskID
		task("update", id, `,"inputResponses":{"ask":{"action":"decline"}}`) // at once
		if m := task("get", id, ""); m.Result.Status != "working" {
			t.Errorf("after a program declined: %s", m.line)
		}
		if m := task("get", "made up", ""); m.Error == nil || m.Error.Code != -32602 {
			t.Error(m.line)
		}
	})
}
