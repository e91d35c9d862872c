package doortest

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
)

// editor starts claude-agent-acp through `sayso acp`, as an editor would that
// has these capabilities, and opens a session.
func editor(w *World, model *modeltest.Server, can object) (*Peer, string) {
	w.t.Helper()
	p := editorProcess(w, model, can)
	var session struct{ SessionID string }
	decode(w.t, p.Call("session/new", object{"cwd": w.Project, "mcpServers": []any{}})(), &session)
	return p, session.SessionID
}

func editorProcess(w *World, model *modeltest.Server, can object) *Peer {
	w.t.Helper()
	var zed struct {
		Servers map[string]struct{ Args []string } `json:"agent_servers"`
	}
	decode(w.t, []byte(settings(w.t, "zed.json")), &zed)
	args := zed.Servers["Claude"].Args
	if len(args) == 0 || args[len(args)-1] != "claude-agent-acp" {
		w.t.Fatalf("the editor starts %q", args)
	}
	args = append(args[:len(args)-1], Program(w.t, "node"), Program(w.t, "claude-agent-acp"))
	p := w.Start(
		w.Env("ANTHROPIC_BASE_URL="+model.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"),
		w.Sayso, args...).Peer("2.0")
	p.Call("initialize", object{"protocolVersion": 1, "clientCapabilities": can, "clientInfo": object{"name": "doortest", "version": "0"}})()
	return p
}

func prompt(p *Peer, session, text string) (end func()) {
	done := p.Call("session/prompt", object{"sessionId": session, "prompt": []any{object{"type": "text", "text": text}}})
	return func() {
		p.t.Helper()
		var r struct{ StopReason string }
		if decode(p.t, done(), &r); r.StopReason != "end_turn" {
			p.t.Errorf("the prompt stopped for %q", r.StopReason)
		}
	}
}

const (
	toldSQLite  = `Your questions have been answered: "Which database?"="SQLite". You can now continue with these answers in mind.`
	toldMIT     = `Your questions have been answered: "Which licence?"="MIT". You can now continue with these answers in mind.`
	toldNeither = `The user answered: "Which database?"="neither, a file". Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.`
)

// TestClaudeACP is an editor that shows forms: the first question is answered
// there; the second at the hub, and the form is taken back; the third at the
// hub after it was killed.
func TestClaudeACP(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("AskUserQuestion", database), modeltest.Use("AskUserQuestion", licence), modeltest.Use("AskUserQuestion", database), modeltest.Say("done")))
	ed, session := editor(w, model, object{"elicitation": object{"form": object{}}})
	end := prompt(ed, session, "ask me")

	form := ed.Await("elicitation/create", 1)
	first := w.Asked()
	ed.Reply(form, object{"action": "accept", "content": object{"question_0": "SQLite"}})
	if o := w.Closed(first); o.Status != sayso.StatusAnswered || o.By.Surface != "editor" {
		t.Errorf("the first became %+v", o)
	}

	ed.Await("elicitation/create", 2)
	w.Answer(w.Asked(), "MIT")
	ed.Await("$/cancel_request", 1)

	ed.Await("elicitation/create", 3)
	third := w.Asked()
	w.KillHub()
	w.Answer(third, "neither, a file")
	end()
	model.WantResults(t, toldSQLite, toldMIT, toldNeither)
}

// TestClaudeACPNoForms is an editor without forms, in which the agent would have
// no question tool at all: it is asked with permission requests.
func TestClaudeACPNoForms(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("AskUserQuestion", database), modeltest.Use("AskUserQuestion", licence), modeltest.Say("done")))
	ed, session := editor(w, model, object{})
	end := prompt(ed, session, "ask me")
	ask := ed.Await("session/request_permission", 1)
	first := w.Asked()
	ed.Reply(ask, object{"outcome": object{"outcome": "selected", "optionId": "SQLite"}})
	w.Closed(first)
	w.Answer(w.Asked(), "MIT")
	end()
	model.WantResults(t, toldSQLite, toldMIT)
}

// TestClaudeACPLate kills proxy and agent while a question waits. Its answer is
// told at the next prompt of the session, and only then.
func TestClaudeACPLate(t *testing.T) {
	t.Parallel()
	w := New(t)
	// How much of the last turn Claude Code has saved when it dies is its own
	// affair, so the script goes by the prompts.
	model := modeltest.New(t, func(_ context.Context, r *modeltest.Request) modeltest.Reply {
		if len(r.Tools) > 0 && bytes.Contains(r.Body, []byte("second prompt")) && !bytes.Contains(r.Body, []byte("third prompt")) {
			return modeltest.Use("AskUserQuestion", database)
		}
		return modeltest.Say("done")
	})
	forms := object{"elicitation": object{"form": object{}}}
	ed, session := editor(w, model, forms)
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

	ed = editorProcess(w, model, forms)
	ed.Call("session/load", object{"sessionId": session, "cwd": w.Project, "mcpServers": []any{}})()
	prompt(ed, session, "third prompt")()
	prompt(ed, session, "fourth prompt")()
	late, err := json.Marshal(lateSQLite)
	if err != nil {
		t.Fatal(err)
	}
	// Requests without tools are of other conversations: titles, say.
	all := slices.DeleteFunc(model.Requests(), func(r *modeltest.Request) bool { return len(r.Tools) == 0 })
	if n := bytes.Count(all[len(all)-1].Body, bytes.Trim(late, `"`)); n != 1 {
		t.Errorf("the conversation tells the model %d times of the answer", n)
	}
}
