package doortest

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
)

// opencodeServe starts opencode as a server, connects it with "sayso bridge", and has a
// session prompted. It returns a function that sends a request to the server.
func opencodeServe(w *World, env []string) func(path string, body object) any {
	w.t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	env = append(env, "OPENCODE_SERVER_PASSWORD=secret")
	server := w.Start(env, filepath.Join(w.bin(), "opencode"), "serve", "--port", port)
	until(w.t, "the server", func() bool { return strings.Contains(server.Out(), "listening") })
	base := "http://127.0.0.1:" + port
	w.Start(env, w.Sayso, "bridge", "opencode", "--server", base)
	return func(path string, body object) any {
		w.t.Helper()
		data, err := json.Marshal(body)
		if err != nil {
			w.t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, base+path+"?directory="+url.QueryEscape(w.Project), bytes.NewReader(data))
		if err != nil {
			w.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.SetBasicAuth("opencode", "secret")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			w.t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode/100 != 2 {
			w.t.Fatalf("%s: %s, %v: %s", path, resp.Status, err, raw)
		}
		var o any
		if len(raw) > 0 {
			decode(w.t, raw, &o)
		}
		return o
	}
}

// opencodePrompt prompts a new session.
func opencodePrompt(post func(path string, body object) any) (session string) {
	id := post("/session", object{}).(object)["id"].(string)
	post("/session/"+id+"/prompt_async", object{"parts": []any{object{"type": "text", "text": "ask me"}}})
	return id
}

// TestOpencodeServe: a server without the plugin, connected over its API.
func TestOpencodeServe(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		opencodeQuestion(database),
		modeltest.Use("bash", object{"command": "echo one > one.txt", "description": "Write one"}),
		modeltest.Use("bash", object{"command": "echo two > two.txt", "description": "Write two"}),
		opencodeQuestion(licence), modeltest.Say("all done")))
	env := opencodeUser(w, model, object{"permission": object{"bash": "ask"}})
	post := opencodeServe(w, env)
	session := opencodePrompt(post)
	w.StartHub()
	w.Answer(w.Asked(), "SQLite")
	asked, ask := w.Opened()
	if p := ask.Approval; p.Kind != sayso.ApproveShell || p.Reason != "Write one" || p.Cwd != w.Project || asked.Ask.Origin.Workspace != "project" {
		t.Errorf("asked for %+v by %+v", p, asked.Ask.Origin)
	}
	w.KillHub()
	w.Decide(asked, "once", "", "")
	asked, _ = w.Opened()
	w.Decide(asked, "deny", "", "")
	w.Received(model, 3)
	got := model.Results()
	if !strings.Contains(got[0].Text, `"Which database?"="SQLite"`) || !strings.HasSuffix(got[2].Text, "feedback: The user denied this request.") {
		t.Errorf("the model received %+v", got)
	}
	if w.InProject("one.txt") != "one\n" || w.InProject("two.txt") != "" {
		t.Errorf("the files have %q, %q", w.InProject("one.txt"), w.InProject("two.txt"))
	}
	asked = w.Asked()
	post("/session/"+session+"/abort", object{})
	if o := w.Closed(asked); o.Status != sayso.StatusCancelled || !strings.Contains(o.Reason, "interrupted") {
		t.Errorf("interrupted, the hub has %+v", o)
	}
}

// TestOpencodeServeTwice: with the plugin and over the API, the person is asked once.
func TestOpencodeServeTwice(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		opencodeQuestion(database), modeltest.Use("bash", object{"command": "echo one > one.txt", "description": "Write one"}), modeltest.Say("all done")))
	env := opencodeUser(w, model, object{"permission": object{"bash": "ask"}})
	w.Setup("opencode")
	opencodePrompt(opencodeServe(w, env))
	w.StartHub()
	w.Answer(w.Asked(), "SQLite")
	asked, _ := w.Opened()
	w.Decide(asked, "once", "", "")
	w.Received(model, 2)
	if all := w.All(); len(all) != 2 {
		t.Errorf("the hub has %d asks, want 2: %+v", len(all), all)
	}
}
