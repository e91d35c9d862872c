package doortest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
)

// codexACPHome is the home of a person with Codex, its adapter and an editor.
func codexACPHome(w *World, model *modeltest.Server) []string {
	w.t.Helper()
	codexPerson(w, model)
	w.Write(".config/zed/settings.json", "// my editor\n{\n  \"theme\": \"One Dark\",\n}\n")
	w.Install("codex-acp")
	return w.Env("FAKE_KEY=dummy", "CODEX_PATH="+Program(w.t, "codex"))
}

// zedCodex returns the words that start codex-acp by the editor's settings.
func zedCodex(w *World) []string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.Home, ".config/zed/settings.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), "\n")
	var zed struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"agent_servers"`
	}
	decode(w.t, []byte(strings.ReplaceAll(text, ",\n}", "\n}")), &zed)
	for _, s := range zed.Servers {
		if slices.Contains(s.Args, "codex-acp") {
			return append([]string{s.Command}, s.Args...)
		}
	}
	w.t.Fatalf("the editor does not start codex-acp:\n%s", b)
	return nil
}

// codexEditor starts codex-acp as the editor does, and opens a session, or one that
// there was before.
func codexEditor(w *World, env, words []string, session string) *acpEditor {
	w.t.Helper()
	if words[0] == "sayso" {
		words[0] = w.Sayso
	}
	e := &acpEditor{w: w, Peer: w.Start(env, words[0], words[1:]...).Peer("2.0"), session: session}
	e.Call("initialize", object{"protocolVersion": 1, "clientInfo": object{"name": "doortest", "version": "0"},
		"clientCapabilities": object{"elicitation": object{"form": object{}}}})()
	if session != "" {
		e.Call("session/load", object{"sessionId": session, "cwd": w.Project, "mcpServers": []any{}})()
		return e
	}
	var opened struct{ SessionID string }
	decode(w.t, e.Call("session/new", object{"cwd": w.Project, "mcpServers": []any{}})(), &opened)
	e.session = opened.SessionID
	return e
}

// asksByDefault has Codex offer its question tool outside Plan mode, too.
const asksByDefault = "\n[features]\ndefault_mode_request_user_input = true\n"

// TestCells_CodexACP is Codex in an editor, after "sayso setup" alone.
func TestCells_CodexACP(t *testing.T) {
	t.Parallel()
	asks := modeltest.Use("request_user_input", codexAsks)
	set := func(w *World, model *modeltest.Server) []string {
		env := codexACPHome(w, model)
		w.append(".codex/config.toml", asksByDefault)
		w.Setup("codex")
		w.Setup("codex-acp")
		return env
	}
	cell(t, "codex-acp", "a", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(asks, modeltest.Say("done")))
		env := set(w, model)
		ed := codexEditor(w, env, zedCodex(w), "")
		stopped := ed.prompt("ask me")
		ed.Await("elicitation/create", 1)
		w.Answer(w.Asked(), "SQLite")
		ed.Await("$/cancel_request", 1)
		stopped()
		received(t, "codex-acp", "question-inbox", model.Results()[0].Text)
	})
	cell(t, "codex-acp", "b", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(asks, modeltest.Say("done")))
		env := codexACPHome(w, model)
		w.append(".codex/config.toml", asksByDefault)
		answers := func(ed *acpEditor) {
			ed.Reply(ed.Await("elicitation/create", 1), object{"action": "accept", "content": object{"db": "SQLite"}})
		}
		before := codexEditor(w, env, []string{filepath.Join(w.bin(), "codex-acp")}, "") // without sayso
		stopped := before.prompt("ask me")
		answers(before)
		stopped()
		received(t, "codex-acp", "question-own", model.Results()[0].Text)
		before.Kill()

		w.Setup("codex")
		w.Setup("codex-acp")
		ed := codexEditor(w, env, zedCodex(w), "")
		stopped = ed.prompt("ask me")
		asked := w.Asked()
		answers(ed)
		if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Surface != "editor" {
			t.Errorf("the hub has %+v", o)
		}
		stopped()
	})
	cell(t, "codex-acp", "c", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Use("*ask_user", database), modeltest.Say("done")))
		env := set(w, model)
		ed := codexEditor(w, env, zedCodex(w), "")
		stopped := ed.prompt("ask me")
		w.Answer(w.Asked(), "SQLite")
		stopped()
		if n := len(w.All()); n != 1 {
			t.Errorf("the hub has %d asks: %+v", n, w.All())
		}
		received(t, "codex-acp", "question-mcp", codexTime.ReplaceAllString(model.Results()[0].Text, "Wall time: 1.5 seconds"))
	})
	cell(t, "codex-acp", "d", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(asks, modeltest.Say("done")))
		env := set(w, model)
		ed := codexEditor(w, env, zedCodex(w), "")
		stopped := ed.prompt("ask me")
		ed.Await("elicitation/create", 1)
		asked := w.Asked()
		w.KillHub()
		w.Answer(asked, "SQLite")
		stopped()
		model.WantResults(t, `{"answers":{"db":{"answers":["SQLite"]}}}`)
	})
	cell(t, "codex-acp", "e", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(asks, modeltest.Say("done")))
		env := set(w, model)
		ed := codexEditor(w, env, zedCodex(w), "")
		ed.prompt("ask me")
		ed.Await("elicitation/create", 1)
		asked := w.Asked()
		ed.Kill()
		w.AwaitEnd("acp")
		w.Answer(asked, "SQLite")
		<-time.After(3 * time.Second) // two seconds are for a call that might still live
		ed = codexEditor(w, env, zedCodex(w), ed.session)
		ed.prompt("go on")()
		received(t, "codex-acp", "late", codexContext(w, model, "ask me"))
	})
	cell(t, "codex-acp", "f", func(t *testing.T, w *World) {
		runs := modeltest.Steps(codexRuns("touch hello"), codexRuns("touch no"), modeltest.Say("done"))
		model := modeltest.New(t, runs)
		env := set(w, model)
		ed := codexEditor(w, env, zedCodex(w), "")
		ed.setMode("read-only")
		stopped := ed.prompt("do it")
		ed.card()
		request, _ := w.Opened()
		w.Decide(request, "allow_once", "", "")
		ed.card()
		second, _ := w.Opened()
		w.Decide(second, "cancel", "", "")
		if got := stopped(); got != "cancelled" {
			t.Errorf("the turn stopped for %q", got)
		}
		if !w.exists("hello") || w.exists("no") {
			t.Errorf("hello %t, no %t", w.exists("hello"), w.exists("no"))
		}
		ed.prompt("go on")()
		received(t, "codex-acp", "denied-inbox", codexTime.ReplaceAllString(model.Results()[1].Text, "Wall time: 1.5 seconds"))
	})
	cell(t, "codex-acp", "g", func(t *testing.T, w *World) {
		codexACPHome(w, modeltest.New(t, modeltest.Steps(modeltest.Say("done"))))
		w.Setup("codex-acp")
		zedCodex(w)
		w.UndoSetup("codex-acp")
	})
}

// append adds to a file below the home.
func (w *World) append(name, text string) {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.Home, name))
	if err != nil {
		w.t.Fatal(err)
	}
	w.Write(name, string(b)+text)
}
