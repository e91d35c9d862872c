package doortest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
)

// claudeAsks is a call of Claude Code's own tool.
var claudeAsks = json.RawMessage(`{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]}]}`)

// claudeTold is what the model of Claude Code receives for SQLite.
const claudeTold = `Your questions have been answered: "Which database?"="SQLite". You can now continue with these answers in mind.`

// claudeHome writes what Claude Code would otherwise ask for at its first start,
// and returns its environment. It waits for MCP servers before the first turn, as
// long as a busy machine needs to start them.
func claudeHome(w *World, model *modeltest.Server, extra ...string) []string {
	w.t.Helper()
	w.Write(".claude.json", fmt.Sprintf(`{"hasCompletedOnboarding":true,"lastOnboardingVersion":%q,"theme":"dark","numStartups":5,"autoUpdates":false,
"customApiKeyResponses":{"approved":["dummy"],"rejected":[]},
"projects":{%q:{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true,"projectOnboardingSeenCount":4,"allowedTools":[]}}}`, Version(w.t, "claude"), w.Project))
	return w.Env(append([]string{
		"ANTHROPIC_BASE_URL=" + model.URL, "ANTHROPIC_API_KEY=dummy",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"MCP_CONNECTION_NONBLOCKING=0", "MCP_CONNECT_TIMEOUT_MS=120000", "MCP_TIMEOUT=120000",
	}, extra...)...)
}

// claudePrint runs claude -p to its end, while the person does something, and
// returns its result.
func claudePrint(w *World, env []string, person func(), args ...string) (out claudeResult) {
	w.t.Helper()
	p := claudeStart(w, env, args...)
	if person != nil {
		person()
	}
	if code := p.Wait(); code != 0 {
		w.t.Fatalf("claude -p ended with %d", code)
	}
	if err := json.Unmarshal([]byte(p.Out()), &out); err != nil {
		w.t.Fatalf("%v: %s", err, p.Out())
	}
	return out
}

func claudeStart(w *World, env []string, args ...string) *Process {
	w.t.Helper()
	p := w.Start(env, Program(w.t, "claude"), append([]string{"-p", "--output-format", "json"}, args...)...)
	p.Stdin.Close()
	return p
}

type claudeResult struct {
	Session  string `json:"session_id"`
	Stop     string `json:"stop_reason"`
	Result   string `json:"result"`
	Deferred struct {
		ID string `json:"id"`
	} `json:"deferred_tool_use"`
}

// host lets claude -p have its question tool.
var host = []string{"--permission-prompt-tool", "stdio"}

// setup has sayso write the settings of Claude Code.
func setup(w *World, args ...string) {
	w.t.Helper()
	w.Run(w.Env(), w.Sayso, append([]string{"setup", "claude", "--yes"}, args...)...)
}

// TestClaudePrint is claude -p with the command hook. The hub is killed before
// the second answer, which is in the person's own words.
func TestClaudePrint(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("AskUserQuestion", claudeAsks), modeltest.Use("AskUserQuestion", claudeAsks), modeltest.Say("done")))
	env := claudeHome(w, model)
	setup(w)
	out := claudePrint(w, env, func() {
		first := w.Asked()
		if o := first.Ask.Origin; o.Host != "claude-code" || o.Workspace != "project" {
			t.Errorf("asked by %+v", o)
		}
		w.Answer(first, "SQLite")
		second := w.Asked()
		w.KillHub()
		w.Answer(second, `files, "plain" ones`)
	}, append(host, "ask me")...)
	if out.Result != "done" {
		t.Errorf("got %+v", out)
	}
	model.WantResults(t, claudeTold,
		`The user answered: "Which database?"="files, "plain" ones". Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.`)
	claudeConsumed(w)
}

// claudeConsumed holds the door to its word: the hub knows that every outcome has
// arrived.
func claudeConsumed(w *World) {
	w.t.Helper()
	for _, t := range w.All() {
		if t.Consumed.IsZero() {
			w.t.Errorf("ask %s is %s, and not consumed", t.Ask.ID, t.Status())
		}
	}
}

// TestClaudePrintOutcomes: what the model receives for every other outcome, and
// for a form.
func TestClaudePrintOutcomes(t *testing.T) {
	t.Parallel()
	w := New(t)
	const form = `{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL (Recommended)","description":"a server","preview":"PG"},{"label":"SQLite","description":"a file"}]},
		{"question":"Which features?","header":"Features","multiSelect":true,"options":[{"label":"Auth","description":"x"},{"label":"Search","description":"y"},{"label":"Export","description":"z"}]}]}`
	ask := modeltest.Use("AskUserQuestion", json.RawMessage(form))
	model := modeltest.New(t, modeltest.Steps(ask, ask, ask, ask, ask, modeltest.Say("done")))
	env := claudeHome(w, model)
	setup(w)
	const carefully = ` Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.`
	outcomes := []struct {
		o    *sayso.Outcome
		want string
	}{
		{&sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}, Note: "only v17"}, {QuestionID: "q2", Selected: []string{"o1", "o3"}}}},
			`The user answered: "Which database?"="PostgreSQL (Recommended)" selected preview:` + "\n" + `PG notes: only v17, "Which features?"="Auth, Export".` + carefully},
		{&sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q2", Selected: []string{"o2"}}}},
			`Your questions have been answered: "Which features?"="Search". You can now continue with these answers in mind.`},
		{&sayso.Outcome{Status: sayso.StatusAnswered, Reply: "Neither; use files"},
			`The user answered: "Which database?"=(no option selected) notes: (to all the questions) Neither; use files.` + carefully},
		{&sayso.Outcome{Status: sayso.StatusUnanswered}, `The user did not answer the questions.`},
		{&sayso.Outcome{Status: sayso.StatusDeclined, Reason: "ask Bob"},
			"PreToolUse:AskUserQuestion hook error: The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nask Bob"},
	}
	claudePrint(w, env, func() {
		for _, tc := range outcomes {
			if _, err := w.Hub().Answer(t.Context(), w.Asked(), tc.o); err != nil {
				t.Fatal(err)
			}
		}
	}, append(host, "ask me")...)
	var want []string
	for _, tc := range outcomes {
		want = append(want, tc.want)
	}
	model.WantResults(t, want...)
}

// TestClaudeDefer: a run ends with its question, and later ones take it up; the
// one behind the answer gets it, and only that one.
func TestClaudeDefer(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("AskUserQuestion", claudeAsks), modeltest.Say("done")))
	env := claudeHome(w, model)
	setup(w, "--defer")
	first := claudePrint(w, env, nil, append(host, "ask me")...)
	if first.Stop != "tool_deferred" {
		t.Fatalf("got %+v", first)
	}
	asked := w.Asked()
	if asked.Ask.Origin.ToolCall != first.Deferred.ID {
		t.Errorf("deferred %q, asked for %q", first.Deferred.ID, asked.Ask.Origin.ToolCall)
	}
	resume := append([]string{"--resume", first.Session}, host...)
	if again := claudePrint(w, env, nil, resume...); again.Stop != "tool_deferred" {
		t.Errorf("got %+v", again)
	}
	w.KillHub()
	w.Answer(asked, "SQLite")
	if last := claudePrint(w, env, nil, resume...); last.Result != "done" {
		t.Errorf("got %+v", last)
	}
	claudePrint(w, env, nil, append(resume, "anything else?")...)
	model.WantResults(t, claudeTold)
	claudeConsumed(w)
	if all := w.All(); len(all) != 1 {
		t.Errorf("asked %d times", len(all))
	}
}

// TestClaudeKilled kills Claude Code while it waits. The person answers, and the
// session that is resumed is told with its next prompt, once.
func TestClaudeKilled(t *testing.T) {
	t.Parallel()
	w := New(t)
	// How much of its last turn Claude Code has saved when it dies is its own
	// affair, so the script goes by the prompts.
	model := modeltest.New(t, func(_ context.Context, r *modeltest.Request) modeltest.Reply {
		if len(r.Tools) > 0 && !bytes.Contains(r.Body, []byte("where were we?")) {
			return modeltest.Use("AskUserQuestion", claudeAsks)
		}
		return modeltest.Say("done")
	})
	env := claudeHome(w, model)
	setup(w)
	p := claudeStart(w, env, append(host, "ask me")...)
	asked := w.Asked()
	until(t, "a saved session", func() bool {
		saved, _ := filepath.Glob(filepath.Join(w.Home, ".claude/projects/*", asked.Ask.Origin.Conversation+".jsonl"))
		return len(saved) > 0
	})
	p.Kill()
	until(t, "the hook to notice", func() bool { return !hooksRun(w) })
	w.Answer(asked, "SQLite")
	resume := append([]string{"--resume", asked.Ask.Origin.Conversation}, host...)
	for _, prompt := range []string{"where were we?", "go on"} {
		claudePrint(w, env, nil, append(resume, prompt)...)
	}
	wantLate(t, model)
	claudeConsumed(w)
}

// lateSQLite is what every agent is told of a late answer.
const lateSQLite = "The user has responded to a question that you asked earlier, after the call had ended:\n\n" +
	`User was asked "Which database?" and chose SQLite.` + "\n"

// wantLate wants the model to have been told of the late answer, in one place of
// the conversation.
func wantLate(t *testing.T, model *modeltest.Server) {
	t.Helper()
	late := "UserPromptSubmit hook additional context: " + lateSQLite
	spelled, err := json.Marshal(late)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Trim(string(spelled), `"`)
	all := slices.DeleteFunc(model.Requests(), func(r *modeltest.Request) bool { return r.Wire != modeltest.Messages || len(r.Tools) == 0 })
	last := string(all[len(all)-1].Body)
	if n := strings.Count(last, text); n != 1 {
		t.Errorf("the late answer is told %d times:\n%s", n, tail(last, 60))
	}
	if n := strings.Count(last, "after the call had ended"); n != 1 {
		t.Errorf("late answers are told %d times", n)
	}
}

// TestClaudePrintNoHub: the hook abstains, and Claude Code does what it does
// without one.
func TestClaudePrintNoHub(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("AskUserQuestion", claudeAsks), modeltest.Say("done")))
	env := claudeHome(w, model)
	setup(w, "--hub", "none")
	claudePrint(w, env, nil, append(host, "ask me")...)
	model.WantResults(t, "Tool permission request failed: AbortError: Stream closed")
}
