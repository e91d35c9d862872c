package doortest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// opencodeUser writes the settings of a user of opencode: the provider is our model. The
// packages that opencode installs at its first start are said to be there: it would wait
// for the network, and does not use them.
func opencodeUser(w *World, model *modeltest.Server, more object) []string {
	w.t.Helper()
	all := object{
		"$schema": "https://opencode.ai/config.json",
		"provider": object{"fake": object{
			"npm":     "@ai-sdk/openai-compatible",
			"name":    "Fake",
			"options": object{"baseURL": model.URL + "/v1", "apiKey": "dummy"},
			"models":  object{"fake": object{"name": "fake", "tool_call": true, "limit": object{"context": 100000, "output": 4096}}},
		}},
		"model": "fake/fake", "small_model": "fake/fake", "autoupdate": false, "share": "disabled",
	}
	for name, value := range more {
		all[name] = value
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		w.t.Fatal(err)
	}
	w.Write(".config/opencode/opencode.json", string(b))
	const plugin = `{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}`
	w.Write(".config/opencode/package.json", plugin)
	w.Write(".config/opencode/package-lock.json", `{"lockfileVersion":3,"packages":{"":`+plugin+`}}`)
	if err := os.MkdirAll(filepath.Join(w.Home, ".config/opencode/node_modules"), 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.Install("opencode")
	return w.Env("OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
}

// opencodeTerminal starts opencode as people do, and prompts it.
func opencodeTerminal(w *World, env []string, prompt string, args ...string) *tmuxtest.Terminal {
	w.t.Helper()
	tm := w.Terminal(env, filepath.Join(w.bin(), "opencode"), args...)
	tm.Await("Ask anything", "ctrl+p")
	tm.Prompt(prompt)
	return tm
}

// promptOpencode prompts a session that was just busy, in which opencode may drop the
// first Enter, until the model's reply is to be seen.
func promptOpencode(tm *tmuxtest.Terminal, prompt, reply string) {
	tm.Type(prompt)
	tm.Await(prompt)
	tm.Press("Enter", func(s string) bool { return strings.Contains(s, reply) })
}

// The last lines of opencode's own dialogs.
const (
	opencodeAsks    = "esc dismiss"
	opencodePermits = "Permission required"
)

// opencodeQuestion is a call of opencode's own tool.
func opencodeQuestion(f object) modeltest.Reply {
	q := f["questions"].([]any)[0].(object)
	return modeltest.Use("question", object{"questions": []any{object{"question": q["question"], "header": q["header"], "options": q["options"]}}})
}

// pickSecondInOpencode chooses the second option in opencode's own dialog.
func pickSecondInOpencode(tm *tmuxtest.Terminal) {
	tm.Await(opencodeAsks)
	tm.Press("2", func(s string) bool { return !strings.Contains(s, opencodeAsks) })
}

// results returns what the model received, and fails unless there are so many.
func results(t *testing.T, model *modeltest.Server, n int) []modeltest.Result {
	t.Helper()
	all := model.Results()
	if len(all) != n {
		t.Fatalf("the model received %d results, want %d: %+v", len(all), n, all)
	}
	return all
}

// TestCells_Opencode: opencode in a terminal, started without options, set up with "sayso
// setup opencode" alone.
func TestCells_Opencode(t *testing.T) {
	t.Parallel()
	cell(t, "opencode", "a", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(opencodeQuestion(database), modeltest.Say("all done")))
		env := opencodeUser(w, model, nil)
		w.Setup("opencode")
		tm := opencodeTerminal(w, env, "ask me")
		asked := w.Asked()
		tm.Await(opencodeAsks)
		w.Answer(asked, "SQLite")
		tm.AwaitGone(opencodeAsks)
		tm.Await("all done")
		received(t, "opencode", "question-inbox", results(t, model, 1)[0].Text)
	})
	cell(t, "opencode", "b", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(opencodeQuestion(database), opencodeQuestion(licence), modeltest.Say("all done")))
		env := opencodeUser(w, model, nil)
		w.Setup("opencode")
		tm := opencodeTerminal(w, env, "ask me")
		asked := w.Asked()
		pickSecondInOpencode(tm)
		if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Surface != "opencode" || len(o.Answers) != 1 || !slices.Equal(o.Answers[0].Selected, []string{"o2"}) {
			t.Errorf("the hub has %+v", o)
		}
		asked = w.Asked()
		tm.Await(opencodeAsks)
		tm.Press("Escape", func(s string) bool { return !strings.Contains(s, opencodeAsks) })
		if o := w.Closed(asked); o.Status != sayso.StatusDeclined || o.By.Surface != "opencode" {
			t.Errorf("dismissed, the hub has %+v", o)
		}
	})
	cell(t, "opencode", "c", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Use("sayso_ask_user", database), modeltest.Say("all done")))
		env := opencodeUser(w, model, object{"permission": "ask"})
		w.Setup("opencode")
		tm := opencodeTerminal(w, env, "ask me")
		w.Answer(w.Asked(), "SQLite")
		tm.Await("all done")
		received(t, "opencode", "question-mcp", results(t, model, 1)[0].Text)
	})
	cell(t, "opencode", "d", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(opencodeQuestion(database), modeltest.Use("sayso_ask_user", licence), modeltest.Say("all done")))
		env := opencodeUser(w, model, nil)
		w.Setup("opencode")
		tm := opencodeTerminal(w, env, "ask me")
		asked := w.Asked()
		tm.Await(opencodeAsks)
		w.KillHub()
		w.Answer(asked, "SQLite")
		tm.AwaitGone(opencodeAsks)
		asked = w.Asked()
		w.KillHub()
		w.Answer(asked, "MIT")
		tm.Await("all done")
		if got := results(t, model, 2); !strings.Contains(got[0].Text, "SQLite") || !strings.Contains(got[1].Text, "MIT") {
			t.Errorf("the model received %+v", got)
		}
	})
	cell(t, "opencode", "e", opencodeLate)
	cell(t, "opencode", "f", opencodePermission)
	cell(t, "opencode", "g", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Say("all done")))
		env := opencodeUser(w, model, nil)
		w.Setup("opencode")
		w.UndoSetup("opencode")
		w.Write(".config/opencode/opencode.jsonc", "{\r\n\t// mine\r\n\t\"permission\": { \"*\": \"ask\", }, /* all */\r\n}\r\n")
		w.Setup("opencode")
		w.UndoSetup("opencode")
		// Once more, while opencode writes its own settings in between.
		w.Setup("opencode")
		opencodeTerminal(w, env, "hello").Await("all done")
		w.UndoSetup("opencode")
	})
}

// opencodeLate: opencode is killed while its question is open, and while the tool of sayso
// waits. The answers come with the next prompt of the session, once.
func opencodeLate(t *testing.T, w *World) {
	model := modeltest.New(t, modeltest.Steps(
		opencodeQuestion(database), modeltest.Use("sayso_ask_user", licence), modeltest.Say("all done"), modeltest.Say("as before")))
	env := opencodeUser(w, model, nil)
	w.Setup("opencode")
	tm := opencodeTerminal(w, env, "ask me")
	asked := w.Asked()
	tm.Await(opencodeAsks)
	tm.Kill()
	w.AwaitEnd("bridge")
	w.StartHub()
	w.Answer(asked, "SQLite")
	tm = opencodeTerminal(w, env, "go on", "--continue")
	received(t, "opencode", "late", prompted(w, model, "go on"))
	asked = w.Asked()
	noteOf(w, asked)
	tm.Kill()
	w.AwaitEnd("mcp")
	w.StartHub()
	w.Answer(asked, "MIT")
	tm = opencodeTerminal(w, env, "and then", "--continue")
	tm.Await("all done")
	if got := prompted(w, model, "and then"); !strings.Contains(got, `"Which licence?" and chose MIT`) || strings.Contains(got, "database") {
		t.Errorf("the model was told %q", got)
	}
	for _, r := range results(t, model, 2) {
		if r.Text != "[Tool execution was interrupted]" {
			t.Errorf("the call that was interrupted returned %q", r.Text)
		}
	}
	promptOpencode(tm, "and now", "as before")
	if got := prompted(w, model, "and now"); strings.TrimSpace(got) != "and now" {
		t.Errorf("the model was told again: %q", got)
	}
}

// prompted returns what the model received with a prompt.
func prompted(w *World, model *modeltest.Server, prompt string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), Patience)
	defer cancel()
	r, err := model.Await(ctx, func(r *modeltest.Request) bool { return len(r.Tools) > 0 && strings.Contains(r.Last, prompt) })
	if err != nil {
		w.t.Fatalf("waiting for the prompt %q: %v", prompt, err)
	}
	return r.Last
}

// opencodePermission: what a person sees is the call itself; it is allowed and denied from
// the inbox, and in opencode's own dialog.
func opencodePermission(t *testing.T, w *World) {
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("bash", object{"command": "echo one > one.txt", "description": "Write one"}),
		modeltest.Use("write", object{"filePath": filepath.Join(w.Project, "two.txt"), "content": "two\n"}),
		modeltest.Use("sayso_ask_user", database),
		modeltest.Use("bash", object{"command": "echo three > three.txt", "description": "Write three"}),
		modeltest.Say("all done")))
	more := opencodeAsking(t)
	more["permission"].(object)["sayso_*"] = "ask"
	env := opencodeUser(w, model, more)
	w.Setup("opencode")
	tm := opencodeTerminal(w, env, "go")

	asked, ask := w.Opened()
	tm.Await(opencodePermits)
	if p := ask.Approval; p.Kind != sayso.ApproveShell || p.Shown[0].Text != "echo one > one.txt" || p.Reason != "Write one" || p.Cwd != w.Project || len(p.Missing) > 0 {
		t.Errorf("asked for %+v", p)
	}
	if got := Offers(asked); !slices.Equal(got, []string{"always", "deny", "once", "stop"}) || asked.Ask.Approval.Offer("always").Rule != "bash: echo *" {
		t.Errorf("offers are %+v", asked.Ask.Approval.Offers)
	}
	w.Decide(asked, "once", "", "")

	asked, ask = w.Opened()
	if p := ask.Approval; p.Kind != sayso.ApproveEdit || len(p.Files) != 1 || p.Files[0].Added != 1 || !strings.Contains(p.Shown[0].Text, "+two") {
		t.Errorf("asked for %+v", p)
	}
	w.Decide(asked, "deny", "use another name", "")

	asked, ask = w.Opened()
	if p := ask.Approval; p.Kind != sayso.ApproveMCP || p.Tool != "sayso_ask_user" || !strings.Contains(p.Shown[0].Text, "Which database?") || len(p.Missing) > 0 {
		t.Errorf("asked for %+v", p)
	}
	tm.Await("Call tool sayso_ask_user")
	tm.Press("Enter", func(s string) bool { return !strings.Contains(s, opencodePermits) })
	if o := w.Closed(asked); o.By.Surface != "opencode" || o.By.Kind != sayso.ByProgram || !ask.Verdict(o).Allowed() {
		t.Errorf("allowed in opencode, the hub has %+v", o)
	}
	w.Answer(w.Asked(), "SQLite")

	asked, _ = w.Opened()
	w.Decide(asked, "stop", "", "") // the turn ends: the model is not called again
	tm.AwaitGone(opencodePermits)
	w.Closed(asked)
	got := results(t, model, 3)
	received(t, "opencode", "denied-inbox", got[1].Text)
	if w.InProject("one.txt") != "one\n" || w.InProject("two.txt") != "" || w.InProject("three.txt") != "" {
		t.Errorf("the files have %q, %q, %q", w.InProject("one.txt"), w.InProject("two.txt"), w.InProject("three.txt"))
	}
}

// TestOpencodeAlone: what opencode says without sayso, for comparison.
func TestOpencodeAlone(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		opencodeQuestion(database), modeltest.Use("bash", object{"command": "echo one", "description": "Write one"}), modeltest.Say("all done")))
	tm := opencodeTerminal(w, opencodeUser(w, model, object{"permission": object{"bash": "ask"}}), "ask me")
	pickSecondInOpencode(tm)
	tm.Await(opencodePermits)
	tm.Press("Escape", func(s string) bool { return !strings.Contains(s, "Allow once") })
	// The turn ends; opencode takes no prompt in the moment in which it does.
	looks := 0
	until(t, "a reply after the denial", func() bool {
		if looks%150 == 0 {
			tm.Type("go on")
			tm.Keys("Enter")
		}
		looks++
		return strings.Contains(tm.Screen(), "all done")
	})
	got := results(t, model, 2)
	received(t, "opencode", "question-own", got[0].Text)
	received(t, "opencode", "denied-own", got[1].Text)
}
