package doortest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
)

// opencodeAsking are the permissions that the page recommends.
func opencodeAsking(t testing.TB) object {
	t.Helper()
	var o object
	decode(t, []byte(settings(t, "opencode.json")), &o)
	return o
}

// TestOpencodeRun is `opencode run`, which takes opencode's own question tool away, but
// not ours. The hub is killed before the second answer. A request for permission is
// rejected by opencode at once, so nobody is asked.
func TestOpencodeRun(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("*ask_user", database), modeltest.Use("*ask_user", licence),
		modeltest.Use("bash", object{"command": "echo one > one.txt", "description": "Write one"}), modeltest.Say("done")))
	env := opencodeUser(w, model, opencodeAsking(t))
	w.Setup("opencode")
	p := w.Start(env, filepath.Join(w.bin(), "opencode"), "run", "ask me")
	p.Stdin.Close()
	w.Answer(w.Asked(), "SQLite")
	second := w.Asked()
	w.KillHub()
	w.Answer(second, "neither; ask legal")
	if code := p.Wait(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	model.WantResults(t, "Which database?\nSQLite", "Which licence?\nneither; ask legal")
	w.StartHub()
	if all := w.All(); len(all) != 2 || w.InProject("one.txt") != "" {
		t.Errorf("the hub has %d asks, and the file %q", len(all), w.InProject("one.txt"))
	}
}

// TestWakeOpencode: opencode run is killed while the tool of sayso waits. The answer
// resumes the session, which reads it.
func TestWakeOpencode(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("*ask_user", database), modeltest.Say("done")))
	env := opencodeUser(w, model, nil)
	w.Setup("opencode")
	wakes(w, "opencode", "opencode", "run", "--session", "{session}", "My answer is here. Go on.")
	w.Run(env, w.Sayso, "list") // the hub has the environment of the person
	p := w.Start(env, filepath.Join(w.bin(), "opencode"), "run", "ask me")
	p.Stdin.Close()
	asked := w.Asked()
	noteOf(w, asked)
	p.Kill()
	w.AwaitEnd("mcp")
	w.Answer(asked, "SQLite")
	resumed(w, asked)
	if got := prompted(w, model, "My answer"); strings.Count(got, `"Which database?" and chose SQLite`) != 1 {
		t.Errorf("the model is told %q", got)
	}
}
