package doortest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// piHome installs pi with a model of ours, and returns the environment.
func piHome(w *World, model *modeltest.Server) []string {
	w.Install("pi")
	w.Write(".pi/agent/models.json", `{"providers": {"test": {
  "baseUrl": "`+model.URL+`/v1", "api": "openai-completions", "apiKey": "none",
  "models": [{"id": "test", "name": "test", "contextWindow": 100000, "maxTokens": 4096, "input": ["text"], "reasoning": false,
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]
}}}
`)
	w.Write(".pi/agent/settings.json", `{"defaultProvider": "test", "defaultModel": "test", "enableInstallTelemetry": false}
`)
	return w.Env("PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1")
}

// piTerminal starts pi in a terminal and has it work on a prompt.
func piTerminal(w *World, model *modeltest.Server, env []string, prompt string) *tmuxtest.Terminal {
	tm := w.Terminal(env, "pi")
	tm.Await("escape interrupt")
	tm.Type(prompt)
	tm.Await(prompt)
	tm.Press("Enter", func(string) bool { return len(model.Requests()) > 0 }) // pi takes nothing while it starts
	return tm
}

var piAsks = object{"questions": []any{object{"question": "Which database?", "options": []any{object{"label": "PostgreSQL"}, object{"label": "SQLite"}}}}}

// TestCells_Pi: the tool and the permissions that sayso brings to pi, in its terminal
// and without one.
func TestCells_Pi(t *testing.T) {
	t.Parallel()
	asking := func(t *testing.T, w *World) (*modeltest.Server, []string) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Use("ask_user", piAsks), modeltest.Say("thank you")))
		env := piHome(w, model)
		w.Setup("pi")
		return model, env
	}
	cell(t, "pi", "a", func(t *testing.T, w *World) {
		model, env := asking(t, w)
		tm := piTerminal(w, model, env, "ask me")
		asked := w.Asked()
		tm.Await("2. SQLite")
		w.Answer(asked, "SQLite")
		tm.Await("thank you")
		tm.AwaitGone("Answer in your own words")
		received(t, "pi", "question-inbox", model.Results()[0].Text)
	})
	cell(t, "pi", "b", func(t *testing.T, w *World) {
		model, env := asking(t, w)
		tm := piTerminal(w, model, env, "ask me")
		asked := w.Asked()
		tm.Await("2. SQLite")
		tm.Press("Down", func(screen string) bool { return strings.Contains(screen, "→ 2. SQLite") })
		tm.Keys("Enter")
		if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Surface != "pi" || o.By.Kind != sayso.ByProgram {
			t.Errorf("it is closed as %+v", o)
		}
		tm.Await("thank you")
		received(t, "pi", "question-inbox", model.Results()[0].Text) // the same
	})
	cell(t, "pi", "c", func(t *testing.T, w *World) {
		model, env := asking(t, w)
		p := w.Start(env, filepath.Join(w.bin(), "pi"), "-p", "ask me")
		p.Stdin.Close()
		w.Answer(w.Asked(), "SQLite")
		if code := p.Wait(); code != 0 || !strings.Contains(p.Out(), "thank you") {
			t.Errorf("pi ends with %d and %q", code, p.Out())
		}
		received(t, "pi", "question-mcp", model.Results()[0].Text)
	})
	cell(t, "pi", "d", func(t *testing.T, w *World) {
		model, env := asking(t, w)
		p := w.Start(env, filepath.Join(w.bin(), "pi"), "-p", "ask me")
		p.Stdin.Close()
		asked := w.Asked()
		w.KillHub()
		w.Answer(asked, "SQLite")
		if code := p.Wait(); code != 0 {
			t.Errorf("pi ends with %d", code)
		}
		received(t, "pi", "question-inbox", model.Results()[0].Text)
	})
	cell(t, "pi", "e", func(t *testing.T, w *World) {
		model, env := asking(t, w)
		p := w.Start(env, filepath.Join(w.bin(), "pi"), "-p", "ask me")
		p.Stdin.Close()
		asked := w.Asked()
		p.Kill()
		w.AwaitEnd("bridge")
		w.Answer(asked, "SQLite")
		answered := w.All()[0].Outcome.At
		until(t, "the answer to be late", func() bool { return time.Since(answered) > 3*time.Second })
		for range 2 { // it is told once
			w.Run(env, filepath.Join(w.bin(), "pi"), "-p", "-c", "go on")
		}
		requests := model.Requests()
		last := requests[len(requests)-1]
		if n := bytes.Count(last.Body, []byte("after the call had ended")); n != 1 {
			t.Errorf("the late answer is told %d times: %s", n, last.Body)
		}
		received(t, "pi", "late", requests[len(requests)-2].Last)
	})
	cell(t, "pi", "f", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(
			modeltest.Use("bash", object{"command": "echo one > one"}),
			modeltest.Use("bash", object{"command": "echo two > two"}),
			modeltest.Use("write", object{"path": "three", "content": "3\n"}),
			modeltest.Use("bash", object{"command": "echo four > four"}),
			modeltest.Say("thank you")))
		env := piHome(w, model)
		w.Setup("pi", "--permissions")
		tm := piTerminal(w, model, env, "do it")
		asked, shown := w.Opened()
		if got := shown.Approval.Shown[0].Text; got != "echo one > one" || shown.Approval.Cwd != w.Project {
			t.Errorf("shown is %q in %s", got, shown.Approval.Cwd)
		}
		tm.Await("Allow once")
		w.Decide(asked, "allow", "", "")
		asked = w.Asked()
		w.Decide(asked, "deny", "not now", "")
		asked, shown = w.Opened()
		if got := shown.Approval.Files; len(got) != 1 || got[0].Path != "three" || got[0].Op != sayso.FileAdd {
			t.Errorf("shown is %+v", got)
		}
		w.Decide(asked, "allow", "", `{"path":"three","content":"three\n"}`)
		// In pi's own dialog.
		asked = w.Asked()
		tm.Await("echo four > four")
		tm.Press("Enter", func(string) bool { return w.InProject("four") != "" })
		if o := w.Closed(asked); o.By.Surface != "pi" || asked.Ask.Verdict(o) == nil {
			t.Errorf("it is closed as %+v", o)
		}
		tm.Await("thank you")
		for name, want := range map[string]string{"one": "one\n", "two": "", "three": "three\n", "four": "four\n"} {
			if got := w.InProject(name); got != want {
				t.Errorf("%s is %q", name, got)
			}
		}
		received(t, "pi", "denied-inbox", model.Results()[1].Text)
	})
	cell(t, "pi", "g", func(t *testing.T, w *World) {
		model, env := asking(t, w)
		w.UndoSetup("pi")
		w.Setup("pi", "--permissions")
		p := w.Start(env, filepath.Join(w.bin(), "pi"), "-p", "ask me")
		p.Stdin.Close()
		w.Answer(w.Asked(), "SQLite")
		p.Wait()
		w.UndoSetup("pi")
		if n := len(model.Results()); n != 1 {
			t.Errorf("the model received %d results", n)
		}
	})
}

// TestPiRPC: a program that runs pi shows its dialogs, and the first answer wins.
func TestPiRPC(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("ask_user", piAsks), modeltest.Use("ask_user", piAsks), modeltest.Say("thank you")))
	env := piHome(w, model)
	w.Setup("pi")
	p := w.Start(env, filepath.Join(w.bin(), "pi"), "--mode", "rpc")
	fmt.Fprintln(p.Stdin, `{"type":"prompt","message":"ask me"}`)
	asked := w.Asked()
	request := regexp.MustCompile(`"type":"extension_ui_request","id":"([^"]+)","method":"select","title":"Which database\?"`)
	shown := func(n int) (id string) {
		until(t, "the dialog", func() bool {
			all := request.FindAllStringSubmatch(p.Out(), -1)
			if len(all) >= n {
				id = all[n-1][1]
			}
			return id != ""
		})
		return id
	}
	fmt.Fprintf(p.Stdin, `{"type":"extension_ui_response","id":%q,"value":"2. SQLite"}`+"\n", shown(1))
	if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Surface != "pi" {
		t.Errorf("it is closed as %+v", o)
	}
	asked = w.Asked()
	late := shown(2)
	w.Answer(asked, "PostgreSQL")
	w.Received(model, 2)
	fmt.Fprintf(p.Stdin, `{"type":"extension_ui_response","id":%q,"value":"2. SQLite"}`+"\n", late) // too late
	until(t, "the end", func() bool { return strings.Contains(p.Out(), "thank you") })
	p.Stdin.Close()
	p.Wait()
	for i, want := range []string{"SQLite", "PostgreSQL"} {
		if got := model.Results()[i].Text; !strings.Contains(got, `"answer":"`+want+`"`) {
			t.Errorf("the model received %s, not %s", got, want)
		}
	}
}

// TestPiWithoutSayso: a tool that needs permission is blocked, and ask_user fails, if
// sayso cannot be started.
func TestPiWithoutSayso(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("bash", object{"command": "echo one > one"}), modeltest.Use("ask_user", piAsks), modeltest.Say("thank you")))
	env := piHome(w, model)
	w.Setup("pi", "--permissions")
	file := filepath.Join(w.Home, ".pi/agent/extensions/sayso.js")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gone := regexp.MustCompile(`const words = .*`).ReplaceAllString(string(text), `const words = ["/nowhere/sayso", "bridge", "pi"]`)
	if err := os.WriteFile(file, []byte(gone), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Run(env, filepath.Join(w.bin(), "pi"), "-p", "do it")
	if w.InProject("one") != "" {
		t.Error("the command ran")
	}
	for _, r := range model.Results() {
		if !strings.Contains(r.Text, "sayso bridge") {
			t.Errorf("the model received %q", r.Text)
		}
	}
}

// TestPiTwo: of two questions at once, pi shows one after the other, and both are in the
// inbox.
func TestPiTwo(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Reply{Calls: []modeltest.Call{
		{Tool: "ask_user", Input: object{"question": "Which colour?", "suggestions": []any{"red", "blue"}}},
		{Tool: "ask_user", Input: object{"question": "Which size?", "suggestions": []any{"red", "blue"}}},
	}}, modeltest.Say("thank you")))
	env := piHome(w, model)
	w.Setup("pi")
	tm := piTerminal(w, model, env, "ask me")
	for range 2 {
		w.Asked()
	}
	tm.Await("→ 1. red")
	first, other := "Which colour?", "Which size?"
	tm.Press("Enter", func(string) bool {
		open := w.list(sayso.StatusPending)
		if len(open) == 1 && open[0].Ask.Questions[0].Text == first {
			first, other = other, first
		}
		return len(open) == 1
	})
	tm.Await("1. red")
	w.Answer(w.list(sayso.StatusPending)[0], "blue")
	tm.Await("thank you")
	tm.AwaitGone("Answer in your own words")
	got := map[bool]int{}
	for _, r := range model.Results() {
		got[strings.Contains(r.Text, first) && strings.Contains(r.Text, `"answer":"red"`) || strings.Contains(r.Text, other) && strings.Contains(r.Text, `"answer":"blue"`)]++
	}
	if got[true] != 2 || got[false] != 0 {
		t.Errorf("the model received %+v", model.Results())
	}
}
