package doortest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/hub"
)

// wakeRuns returns the runs that resumed sessions, as sayso prints them.
func wakeRuns(w *World) (runs []struct{ Ask, Agent, Session, State, Output string }) {
	w.t.Helper()
	cmd := exec.Command(w.Sayso, "wake", "log", "--limit", "1000", "--json") // so often that w.Run would show too much
	cmd.Env = w.Env()
	printed, err := cmd.Output()
	if err != nil {
		w.t.Fatal(cmd, err)
	}
	var all struct{ Runs json.RawMessage }
	if err := json.Unmarshal(printed, &all); err != nil {
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

// resumed waits until the session has gone on and has the answer, and wants one run for
// it. If the hub was killed while it ran, how it ended is not known.
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
	defer func() {
		if w.t.Failed() {
			t, err := w.Hub().Get(w.t.Context(), asked.Handle)
			w.t.Logf("the ask is %+v, %v", t, err)
		}
	}()
	until(w.t, "the end of the run", func() bool {
		t, err := w.Hub().Get(w.t.Context(), asked.Handle)
		state, n := of()
		return err == nil && n > 0 && state != "running" && (state == "failed" || !t.Consumed.IsZero())
	})
	if state, n := of(); state == "failed" || n != 1 {
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

const goOn = "My answer is here. Go on."

// note is what sayso noted of the session that asked.
type sessionNote struct{ Handle, Session, Process, Through string }

func noteOf(w *World, asked *hub.Ticket) (note sessionNote) {
	w.t.Helper()
	until(w.t, "the note of the session", func() bool {
		names, _ := filepath.Glob(filepath.Join(w.Home, ".local/state/sayso/sessions/ask-*"))
		for _, name := range names {
			var n sessionNote
			if data, _ := os.ReadFile(name); json.Unmarshal(data, &n) == nil && n.Handle == asked.Handle {
				note = n
				return true
			}
		}
		return false
	})
	return note
}

// kill kills the agent that asked, and nothing else, once its session can be resumed.
func (n *sessionNote) kill(w *World, saved string) {
	w.t.Helper()
	until(w.t, "a saved session", func() bool {
		names, _ := filepath.Glob(filepath.Join(w.Home, saved, "*"+n.Session+".jsonl"))
		return slices.ContainsFunc(names, func(name string) bool {
			data, _ := os.ReadFile(name)
			return strings.Contains(string(data), "Which database?")
		})
	})
	syscall.Kill(pidOf(w, n.Process), syscall.SIGKILL)
	until(w.t, "the end of the agent", func() bool {
		return ended(pidOf(w, n.Process)) && (n.Through == "" || ended(pidOf(w, n.Through)))
	})
}

func pidOf(w *World, process string) int {
	w.t.Helper()
	pid, err := strconv.Atoi(strings.Split(process, "/")[2])
	if err != nil {
		w.t.Fatal(err)
	}
	return pid
}

// ended reports whether no thread of the process runs: only then are its pipes closed.
func ended(pid int) bool {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return !slices.ContainsFunc(names, func(name string) bool {
		stat, err := os.ReadFile(name)
		return err == nil && !strings.Contains(string(stat), ") Z ")
	})
}

// waking is an agent whose sessions are resumed.
type waking struct {
	name   string
	saved  string // where it saves sessions
	begin  func(w *World, model *modeltest.Server) (env, resumes []string)
	start  func(w *World, env []string, i int, prompt string)
	script modeltest.Script
}

var wakings = []*waking{
	{
		name: "claude", saved: ".claude/projects/*",
		begin: func(w *World, model *modeltest.Server) (env, resumes []string) {
			env = claudeHome(w, model)
			w.Install("claude")
			return env, []string{"env", "ANTHROPIC_BASE_URL=" + model.URL, "ANTHROPIC_API_KEY=dummy", "claude", "-p", "--resume", "{session}", goOn}
		},
		// Claude Code asks with the tool of sayso in claude -p, and now and then with its
		// own in a terminal.
		start: func(w *World, env []string, i int, prompt string) {
			if i%5 == 1 {
				tm := w.Terminal(env, "claude")
				tm.Await("shift+tab to cycle", "for shortcuts")
				tm.Prompt(prompt + " in the dialog")
				tm.Await("Enter to select") // the hook waits beside it
				return
			}
			w.Start(env, filepath.Join(w.bin(), "claude"), "-p", prompt).Stdin.Close()
		},
		script: func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
			tool := "mcp__sayso__ask_user"
			if bytes.Contains(r.Body, []byte("in the dialog")) {
				tool = "AskUserQuestion"
			}
			return untilResumed(modeltest.Use(tool, claudeAsks), r)
		},
	},
	{
		name: "codex", saved: ".codex/sessions/*/*/*",
		begin: func(w *World, model *modeltest.Server) (env, resumes []string) {
			return codexPerson(w, model), []string{"env", "FAKE_KEY=dummy", "codex", "exec", "resume", "{session}", "--skip-git-repo-check", goOn}
		},
		start: func(w *World, env []string, i int, prompt string) {
			w.Start(env, filepath.Join(w.bin(), "codex"), "exec", "--skip-git-repo-check", prompt).Stdin.Close()
		},
		script: func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
			return untilResumed(modeltest.Use("*ask_user", database), r)
		},
	},
}

// untilResumed asks in every conversation that was not resumed.
func untilResumed(ask modeltest.Reply, r *modeltest.Request) modeltest.Reply {
	if len(r.Tools) == 0 || bytes.Contains(r.Body, []byte(goOn)) {
		return modeltest.Say("done")
	}
	return ask
}

// resumes kills n sessions of the agent, each while it waits for an answer, and answers.
// Each must be resumed once, and read its answer once. Now and then the hub is killed
// when it has the answers. atOnce sessions wait at the same time.
func (a *waking) resumes(t *testing.T, n int) {
	const atOnce = 5
	w := New(t)
	model := modeltest.New(t, a.script)
	env, words := a.begin(w, model)
	w.Setup(a.name)
	wakes(w, a.name, words...)
	w.StartHub()
	var all []*hub.Ticket
	for i := range n {
		a.start(w, env, i, fmt.Sprintf("session %d of many: ask me", i))
		if i%atOnce != atOnce-1 && i != n-1 {
			continue
		}
		for len(all) <= i { // of those that have begun
			asked := w.Asked()
			note := noteOf(w, asked)
			note.kill(w, a.saved)
			w.Answer(asked, "SQLite")
			all = append(all, asked)
		}
		if i != n-1 {
			w.KillHub()
		}
	}
	for _, asked := range all {
		resumed(w, asked)
	}
	if runs := wakeRuns(w); len(runs) != n {
		t.Errorf("%d runs for %d answers", len(runs), n)
	}
	claudeConsumed(w)
	late, _ := json.Marshal(strings.TrimSpace(lateSQLite))
	for i := range n {
		told := 0
		for _, r := range model.Requests() {
			if len(r.Tools) > 0 && bytes.Contains(r.Body, fmt.Appendf(nil, "session %d of many", i)) && bytes.Contains(r.Body, []byte(goOn)) {
				told += bytes.Count(r.Body, bytes.Trim(late, `"`))
			}
		}
		if told != 1 {
			t.Errorf("the model of session %d was told %d times", i, told)
		}
	}
}

// TestWake kills sessions while they wait, and answers: each goes on by itself, once.
// TestFigure_WAKE does so more often.
func TestWake(t *testing.T) {
	t.Parallel()
	for _, a := range wakings {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			a.resumes(t, 3)
		})
	}
}

// TestFigure_WAKE counts how many of 50 sessions of each agent that were killed while
// they waited for an answer go on by themselves when it comes, and how often.
func TestFigure_WAKE(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=WAKE")
	}
	const sessions = 50
	for _, a := range wakings {
		t.Run(a.name, func(t *testing.T) {
			a.resumes(t, sessions)
			if !t.Failed() {
				t.Logf("FIGURE WAKE-%s %d sessions/%d", a.name, sessions, sessions)
			}
		})
	}
}
