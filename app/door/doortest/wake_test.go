package doortest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/hub"
)

// wakeRuns returns the runs that resumed sessions, as sayso prints them.
func wakeRuns(w *World) (runs []struct{ Ask, Agent, Session, State, Output string }) {
	w.t.Helper()
	var all struct{ Runs json.RawMessage }
	if err := json.Unmarshal([]byte(w.Run(w.Env(), w.Sayso, "wake", "log", "--limit", "1000", "--json").Out()), &all); err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(all.Runs, &runs); err != nil {
		w.t.Fatal(err)
	}
	return runs
}

// wakes configures that sessions of the agent in the project are resumed.
func wakes(w *World, agent string, words ...string) {
	w.t.Helper()
	list, err := json.Marshal(words)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Write(".config/sayso/config.toml", fmt.Sprintf("[wake]\nfolders = [%q]\n%s = %s\n", w.Project, agent, list))
}

// resumed waits until the run for an ask has ended well, and wants no other.
func resumed(w *World, asked *hub.Ticket) {
	w.t.Helper()
	of := func() (state string, n int) {
		for _, r := range wakeRuns(w) {
			if r.Ask == asked.Ask.ID {
				state, n = r.State, n+1
			}
		}
		return state, n
	}
	until(w.t, "the end of the run", func() bool {
		state, _ := of()
		return state == "ended" || state == "failed"
	})
	if state, n := of(); state != "ended" || n != 1 {
		w.t.Fatalf("%d runs, the last one %s: %+v", n, state, wakeRuns(w))
	}
}

// lastConversation returns the last conversation that the model was sent.
func lastConversation(t *testing.T, model *modeltest.Server) string {
	t.Helper()
	all := slices.DeleteFunc(model.Requests(), func(r *modeltest.Request) bool { return len(r.Tools) == 0 })
	if len(all) == 0 {
		t.Fatal("the model was asked nothing")
	}
	return string(all[len(all)-1].Body)
}

// claudeSaved waits until Claude Code has saved the session, so that it can be resumed.
func claudeSaved(w *World, session string) {
	w.t.Helper()
	until(w.t, "a saved session", func() bool {
		saved, _ := filepath.Glob(filepath.Join(w.Home, ".claude/projects/*", session+".jsonl"))
		for _, name := range saved {
			if data, _ := os.ReadFile(name); strings.Contains(string(data), "Which database?") {
				return true
			}
		}
		return false
	})
}

var claudeResumes = []string{"claude", "-p", "--resume", "{session}", "My answer is here. Go on."}

// TestWakeClaudeTool: claude -p is killed while the tool of sayso waits. The answer
// resumes the session, which reads it.
func TestWakeClaudeTool(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("mcp__sayso__ask_user", claudeAsks), modeltest.Say("done")))
	env := claudeHome(w, model)
	w.Install("claude")
	w.Setup("claude")
	wakes(w, "claude", claudeResumes...)
	w.Run(env, w.Sayso, "list") // the hub has the environment of the person
	p := w.Start(env, Program(t, "claude"), "-p", "ask me")
	p.Stdin.Close()
	asked := w.Asked()
	notes, _ := filepath.Glob(filepath.Join(w.Home, ".local/state/sayso/sessions/ask-*"))
	if len(notes) != 1 {
		t.Fatalf("notes: %q", notes)
	}
	var note struct{ Session string }
	data, _ := os.ReadFile(notes[0])
	if err := json.Unmarshal(data, &note); err != nil {
		t.Fatal(err)
	}
	claudeSaved(w, note.Session)
	p.Kill()
	w.AwaitEnd("mcp")
	w.Answer(asked, "SQLite")
	resumed(w, asked)
	spelled, _ := json.Marshal(lateSQLite)
	if n := strings.Count(lastConversation(t, model), strings.Trim(string(spelled), `"`)); n != 1 {
		t.Errorf("the model is told %d times:\n%s", n, tail(lastConversation(t, model), 60))
	}
	claudeConsumed(w)
}
