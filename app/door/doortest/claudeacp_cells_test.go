package doortest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
)

// zedStarts starts the agent as Zed does, by the command that stands in its settings.
// Without any, it starts the adapter itself.
func zedStarts(w *World, env []string, adapter string) *Peer {
	w.t.Helper()
	words := []string{adapter}
	if data, err := os.ReadFile(filepath.Join(w.Home, ".config/zed/settings.json")); err == nil {
		var zed struct {
			Servers map[string]struct {
				Command string
				Args    []string
			} `json:"agent_servers"`
		}
		decode(w.t, data, &zed)
		if len(zed.Servers) != 1 {
			w.t.Fatalf("Zed's settings are %s", data)
		}
		for _, s := range zed.Servers {
			words = append([]string{s.Command}, s.Args...)
		}
	}
	p := w.Start(env, "/usr/bin/env", words...).Peer("2.0")
	p.Call("initialize", object{"protocolVersion": 1, "clientCapabilities": object{"elicitation": object{"form": object{}}}, "clientInfo": object{"name": "zed", "version": "0"}})()
	return p
}

// claudeEditor installs claude-agent-acp, sets it up in an editor unless it is to run
// without sayso, and returns how the editor starts it.
func claudeEditor(w *World, model *modeltest.Server, with bool) (start func() *Peer) {
	w.t.Helper()
	w.Install("claude-agent-acp")
	env := w.Env("ANTHROPIC_BASE_URL="+model.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"MCP_CONNECTION_NONBLOCKING=0", "MCP_CONNECT_TIMEOUT_MS=120000", "MCP_TIMEOUT=120000")
	if with {
		w.Write(".config/zed/settings.json", "{\n  // mine\n  \"theme\": \"One Dark\",\n}\n")
		w.Setup("claude-agent-acp")
		text, _ := os.ReadFile(filepath.Join(w.Home, ".config/zed/settings.json"))
		w.Write(".config/zed/settings.json", plainJSON(string(text)))
	}
	return func() *Peer { return zedStarts(w, env, "claude-agent-acp") }
}

// plainJSON takes the comment and the last commas out of settings that a test wrote.
func plainJSON(s string) string {
	s = strings.ReplaceAll(s, "// mine", "")
	for {
		at := strings.LastIndexByte(s, ',')
		if at < 0 || strings.TrimSpace(s[at+1:]) == "" || !strings.HasPrefix(strings.TrimSpace(s[at+1:]), "}") {
			return s
		}
		s = s[:at] + s[at+1:]
	}
}

func zedSession(p *Peer, w *World) string {
	w.t.Helper()
	var session struct{ SessionID string }
	decode(w.t, p.Call("session/new", object{"cwd": w.Project, "mcpServers": []any{}})(), &session)
	return session.SessionID
}

// TestCells_ClaudeACP is claude-agent-acp in an editor, which starts what "sayso setup
// claude-agent-acp" wrote into Zed's settings.
func TestCells_ClaudeACP(t *testing.T) {
	t.Parallel()
	asks := func() modeltest.Script {
		return modeltest.Steps(modeltest.Use("AskUserQuestion", database), modeltest.Say("done"))
	}
	begin := func(w *World, script modeltest.Script) (*modeltest.Server, *Peer, func()) {
		model := modeltest.New(w.t, script)
		ed := claudeEditor(w, model, true)()
		return model, ed, prompt(ed, zedSession(ed, w), "ask me")
	}
	cell(t, "claude-agent-acp", "a", func(t *testing.T, w *World) {
		model, ed, end := begin(w, asks())
		ed.Await("elicitation/create", 1)
		w.Answer(w.Asked(), "SQLite")
		ed.Await("$/cancel_request", 1)
		end()
		received(t, "claude-agent-acp", "question-inbox", texts(model)[0])
	})
	cell(t, "claude-agent-acp", "b", func(t *testing.T, w *World) {
		model, ed, end := begin(w, asks())
		form := ed.Await("elicitation/create", 1)
		asked := w.Asked()
		ed.Reply(form, object{"action": "accept", "content": object{"question_0": "SQLite"}})
		if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Surface != "editor" {
			t.Errorf("the hub has %+v", o)
		}
		end()
		received(t, "claude-agent-acp", "question-own", texts(model)[0]) // the same as without sayso
	})
	cell(t, "claude-agent-acp", "c", func(t *testing.T, w *World) {
		model, _, end := begin(w, modeltest.Steps(modeltest.Use("mcp__sayso__ask_user", database), modeltest.Say("done")))
		asked := w.Asked()
		if asked.Ask.Approval != nil {
			t.Fatalf("the tool needs permission: %+v", asked.Ask.Approval)
		}
		w.Answer(asked, "SQLite")
		end()
		received(t, "claude-agent-acp", "question-mcp", texts(model)[0])
	})
	cell(t, "claude-agent-acp", "d", func(t *testing.T, w *World) {
		model, ed, end := begin(w, asks())
		ed.Await("elicitation/create", 1)
		asked := w.Asked()
		w.KillHub()
		w.Answer(asked, "SQLite")
		ed.Await("$/cancel_request", 1)
		end()
		received(t, "claude-agent-acp", "question-inbox", texts(model)[0])
	})
	// Proxy and agent are killed while the question waits.
	cell(t, "claude-agent-acp", "e", func(t *testing.T, w *World) {
		// How much of the last turn Claude Code has saved when it dies is its own
		// affair, so the script goes by the prompts.
		model := modeltest.New(t, func(_ context.Context, r *modeltest.Request) modeltest.Reply {
			if len(r.Tools) > 0 && bytes.Contains(r.Body, []byte("second prompt")) && !bytes.Contains(r.Body, []byte("third prompt")) {
				return modeltest.Use("AskUserQuestion", database)
			}
			return modeltest.Say("done")
		})
		start := claudeEditor(w, model, true)
		ed := start()
		session := zedSession(ed, w)
		prompt(ed, session, "first prompt")()
		until(t, "a saved session", func() bool {
			saved, _ := filepath.Glob(filepath.Join(w.Home, ".claude/projects/*", session+".jsonl"))
			return len(saved) > 0
		})
		prompt(ed, session, "second prompt")
		ed.Await("elicitation/create", 1)
		asked := w.Asked()
		ed.Kill()
		w.AwaitEnd("acp")
		w.Answer(asked, "SQLite")
		<-time.After(3 * time.Second) // two seconds are for a call that might still live

		ed = start()
		ed.Call("session/load", object{"sessionId": session, "cwd": w.Project, "mcpServers": []any{}})()
		prompt(ed, session, "third prompt")()
		prompt(ed, session, "fourth prompt")()
		late, err := json.Marshal(lateSQLite)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(lastConversation(t, model), string(bytes.Trim(late, `"`))); n != 1 {
			t.Errorf("the conversation tells the model %d times of the answer", n)
		}
		received(t, "claude-agent-acp", "late", strings.TrimSpace(lateSQLite))
	})
	cell(t, "claude-agent-acp", "f", func(t *testing.T, w *World) {
		model := modeltest.New(t, claudeFiles("allowed", "denied"))
		ed := claudeEditor(w, model, true)()
		session := zedSession(ed, w)
		ed.Call("session/set_mode", object{"sessionId": session, "modeId": "default"})()
		end := prompt(ed, session, "go")
		ed.Await("session/request_permission", 1)
		asked := w.Asked()
		w.Answer(asked, "Yes")
		ed.Await("$/cancel_request", 1)
		until(t, "the call to run", func() bool { return exists(w, "allowed") })
		ed.Await("session/request_permission", 2)
		w.Answer(w.Asked(), "No")
		end()
		if exists(w, "denied") {
			t.Error("what was denied ran")
		}
		received(t, "claude-agent-acp", "denied-inbox", texts(model)[1])
	})
	cell(t, "claude-agent-acp", "g", func(t *testing.T, w *World) {
		w.Install("claude-agent-acp")
		w.Write(".config/zed/settings.json", "{\n  // mine\n  \"theme\": \"One Dark\",\n  \"agent_servers\": {\"Claude\": {\"type\": \"custom\", \"command\": \"claude-agent-acp\", \"args\": [], \"env\": {\"TOKEN\": \"secret\"},},},\r\n}\n")
		w.Setup("claude-agent-acp")
		w.UndoSetup("claude-agent-acp")
	})
}

// claudeFiles makes files, one after the other.
func claudeFiles(names ...string) modeltest.Script {
	var steps []modeltest.Reply
	for _, name := range names {
		steps = append(steps, modeltest.Use("Bash", object{"command": "touch " + name, "description": "make a file"}))
	}
	return modeltest.Steps(append(steps, modeltest.Say("done"))...)
}

// TestReceivedClaudeACP is claude-agent-acp without sayso: what its model reads of an
// answer and a denial in the editor.
func TestReceivedClaudeACP(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("AskUserQuestion", database),
		modeltest.Use("Bash", object{"command": "touch no", "description": "make a file"}), modeltest.Say("done")))
	ed := claudeEditor(w, model, false)()
	session := zedSession(ed, w)
	ed.Call("session/set_mode", object{"sessionId": session, "modeId": "default"})()
	end := prompt(ed, session, "ask me")
	ed.Reply(ed.Await("elicitation/create", 1), object{"action": "accept", "content": object{"question_0": "SQLite"}})
	card := ed.Await("session/request_permission", 1)
	var request struct {
		Options []struct{ OptionID, Kind string }
	}
	decode(t, card.Params, &request)
	at := slices.IndexFunc(request.Options, func(o struct{ OptionID, Kind string }) bool { return o.Kind == "reject_once" })
	ed.Reply(card, object{"outcome": object{"outcome": "selected", "optionId": request.Options[at].OptionID}})
	end()
	received(t, "claude-agent-acp", "question-own", texts(model)[0])
	received(t, "claude-agent-acp", "denied-own", texts(model)[1])
}

// TestClaudeACPBoth: with the hooks of Claude Code set up as well, which its adapter runs
// too, the person is asked once.
func TestClaudeACPBoth(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Install("claude")
	w.Setup("claude")
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("AskUserQuestion", database),
		modeltest.Use("Bash", object{"command": "touch allowed", "description": "make a file"}), modeltest.Say("done")))
	ed := claudeEditor(w, model, true)()
	session := zedSession(ed, w)
	ed.Call("session/set_mode", object{"sessionId": session, "modeId": "default"})()
	end := prompt(ed, session, "ask me")
	ed.Await("elicitation/create", 1)
	w.Answer(w.Asked(), "SQLite")
	ed.Await("session/request_permission", 1)
	w.Answer(w.Asked(), "Yes")
	end()
	if !exists(w, "allowed") {
		t.Error("what was allowed did not run")
	}
	if n := len(w.All()); n != 2 {
		t.Errorf("the hub has %d asks, want 2", n)
	}
}
