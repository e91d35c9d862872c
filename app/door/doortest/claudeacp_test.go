package doortest

import (
	"testing"

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
	toldSQLite = `Your questions have been answered: "Which database?"="SQLite". You can now continue with these answers in mind.`
	toldMIT    = `Your questions have been answered: "Which licence?"="MIT". You can now continue with these answers in mind.`
)

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
