package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const secret = "sk-live-9f8e7d"

// TestDifficultFiles: whatever a settings file looks like, setting up keeps all of it,
// prints nothing else of it, and undoing restores every byte, mode, link and folder.
func TestDifficultFiles(t *testing.T) {
	t.Parallel()
	huge := "{\n  \"key\": \"" + secret + "\",\n  \"log\": [" + strings.Repeat("\""+strings.Repeat("0123456789abcdef", 640)+"\",\n", 2048) + "0]\n}\n"
	for name, files := range map[string]map[string]string{
		"none":              {},
		"empty":             {".ex/settings.json": "", ".ex/config.toml": ""},
		"blank":             {".ex/settings.json": "\n\n", ".ex/config.toml": "\n"},
		"comments":          {".ex/settings.json": "// " + secret + "\n{\n  /* " + secret + " */ \"key\": \"" + secret + "\" // " + secret + "\n}\n", ".ex/config.toml": "# " + secret + "\nkey = \"" + secret + "\" # " + secret + "\n"},
		"trailing commas":   {".ex/settings.json": "{\"key\":[\"" + secret + "\",],}", ".ex/config.toml": "key = [\"" + secret + "\",]"},
		"crlf":              {".ex/settings.json": "{\r\n\t\"key\": \"" + secret + "\"\r\n}\r\n", ".ex/config.toml": "key = '" + secret + "'\r\n[t]\r\n"},
		"bom":               {".ex/settings.json": "\uFEFF{\"key\":\"" + secret + "\"}", ".ex/config.toml": "\uFEFFkey = '" + secret + "'"},
		"minified":          {".ex/settings.json": `{"mcpServers":{"x":{"env":{"KEY":"` + secret + `"},"args":["` + secret + `"]}},"key":"` + secret + `"}`, ".ex/config.toml": "x={key='" + secret + "'}"},
		"neighbours":        {".ex/settings.json": "{\"mcpServers\": {\"sayso\": {\"command\": \"old\", \"args\": [\"mcp\"], \"env\": {\"KEY\": \"" + secret + "\"}}}}", ".ex/config.toml": "[ours]\nkey = '" + secret + "'\non = false\n"},
		"names twice":       {".ex/settings.json": `{"key":"` + secret + `","key":"` + secret + `"}`},
		"link":              {".ex/settings.json": "-> ../dotfiles/s.json", ".ex/config.toml": "-> ../dotfiles/c.toml", "dotfiles/s.json": "{\"key\": \"" + secret + "\"}", "dotfiles/c.toml": "key = '" + secret + "'\n"},
		"link to a folder":  {".ex": "-> dotfiles", "dotfiles/settings.json": "{}"},
		"link to nothing":   {".ex/settings.json": "-> ../dotfiles/s.json", "dotfiles/other": ""},
		"link to no folder": {".ex/settings.json": "-> ../dotfiles/deep/s.json"},
		"links in a row":    {".ex/settings.json": "-> one", ".ex/one": "-> two", ".ex/two": "{}"},
		"huge":              {".ex/settings.json": huge},
		"somebody's plugin": {".ex/plugins/deep/sayso.js": "mine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			write(t, e, files)
			a := example(e)
			before := snapshot(t, e)
			if s := status(t, e, a); s != NotSetUp && name != "neighbours" {
				t.Errorf("it is %v", s)
			}
			c := setUp(t, e, a)
			shown := strings.Join(c.Diff(), "\n")
			if s := status(t, e, a); s != SetUp {
				t.Errorf("it is %v", s)
			}
			after := snapshot(t, e)
			for file, text := range files {
				if strings.HasPrefix(text, "-> ") && after[file] != text {
					t.Errorf("the link %s is %q", file, after[file])
				} else if n := strings.Count(text, secret); strings.Count(after[file], secret) != n {
					t.Errorf("%s has lost something: %.300q", file, after[file])
				}
			}
			setUp(t, e, a)
			same(t, "set up again", snapshot(t, e), after)
			u := undo(t, e, a)
			shown += strings.Join(u.Diff(), "\n")
			if name == "neighbours" { // it had one of ours, which is gone as well
				if got := snapshot(t, e)[".ex/settings.json"]; strings.Contains(got, "sayso") {
					t.Errorf("undone: %s", got)
				}
			} else {
				same(t, "undone", snapshot(t, e), before)
			}
			if strings.Contains(shown, secret) {
				t.Errorf("a secret is shown:\n%s", shown)
			}
			if left, _ := filepath.Glob(filepath.Join(e.State, "setup", "*")); len(left) > 0 {
				t.Errorf("what undoing needed is still there: %q", left)
			}
		})
	}
}

// TestRefused: a file that cannot be used is named with the reason and without its
// content, and nothing is changed.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files  map[string]string
		modes  map[string]os.FileMode
		reason string
	}{
		"not JSON":           {map[string]string{".ex/settings.json": "{\"key\": " + secret}, nil, "settings.json: it cannot be read as JSON: line 1"},
		"not TOML":           {map[string]string{".ex/config.toml": "key = " + secret}, nil, "config.toml: it cannot be read as TOML: line 1"},
		"a list":             {map[string]string{".ex/settings.json": "[\"" + secret + "\"]"}, nil, "it is not a JSON object"},
		"twice":              {map[string]string{".ex/settings.json": `{"mcpServers":{"a":"` + secret + `"},"mcpServers":{}}`}, nil, `"mcpServers" is there twice`},
		"no object":          {map[string]string{".ex/settings.json": `{"mcpServers":["` + secret + `"]}`}, nil, "mcpServers is not a JSON object"},
		"an inline table":    {map[string]string{".ex/config.toml": "ours = {key='" + secret + "'}"}, nil, "ours.on cannot be added"},
		"read-only file":     {map[string]string{".ex/settings.json": "{}"}, map[string]os.FileMode{".ex/settings.json": 0o444}, "settings.json: it is read-only"},
		"read-only folder":   {map[string]string{".ex/settings.json": "{}"}, map[string]os.FileMode{".ex": 0o555}, ".ex is read-only"},
		"second is refused":  {map[string]string{".ex/config.toml": ""}, map[string]os.FileMode{".ex/config.toml": 0o400}, "config.toml: it is read-only"},
		"a folder":           {map[string]string{".ex/settings.json/x": ""}, nil, "it is not a file"},
		"a file as a folder": {map[string]string{".ex": ""}, nil, ""},
		"a ring of links":    {map[string]string{".ex/settings.json": "-> settings.json"}, nil, "its links lead nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			write(t, e, tc.files)
			for name, mode := range tc.modes {
				path := filepath.Join(e.Home, name)
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { os.Chmod(path, 0o755) })
			}
			before := snapshot(t, e)
			c, err := Look(e, example(e))
			if err == nil {
				err = c.Write()
			}
			if err == nil || !strings.Contains(err.Error(), tc.reason) {
				t.Errorf("refused with %v, want %q", err, tc.reason)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("a secret is shown: %v", err)
			}
			same(t, "refused", snapshot(t, e), before)
		})
	}
}

// TestKilled: after a run that was killed before any of its steps, each file is the old
// or the new one; undoing restores everything, and so does setting up again and undoing.
func TestKilled(t *testing.T) {
	t.Parallel()
	errKilled := errors.New("killed")
	files := map[string]string{".ex/settings.json": "{ /* mine */ }", ".ex/config.toml": "a = 1"}
	for _, phase := range []string{"setup", "update", "undo"} {
		for step := 0; ; step++ {
			e := newEnv(t)
			write(t, e, files)
			a := example(e)
			before := snapshot(t, e)
			if phase == "update" {
				e.Command = []string{"/old/sayso"}
			}
			if phase != "setup" {
				setUp(t, e, a)
			}
			e.Command = []string{"sayso"}
			old := snapshot(t, e)
			count := 0
			e.onStep = func(what, name string) error {
				if count++; count > step {
					panic(errKilled)
				}
				return nil
			}
			killed := func() (killed bool) {
				defer func() { killed = recover() != nil }()
				if phase == "undo" {
					undo(t, e, a)
				} else {
					setUp(t, e, a)
				}
				return false
			}()
			e.onStep = nil
			now := snapshot(t, e)
			if !killed {
				if step < 5 {
					t.Errorf("%s has only %d steps", phase, step)
				}
				break
			}
			at := fmt.Sprintf("%s killed before step %d", phase, step+1)
			fresh := newEnv(t)
			write(t, fresh, files)
			if phase != "undo" {
				setUp(t, fresh, example(fresh))
			}
			wanted := snapshot(t, fresh)
			for _, name := range []string{".ex/settings.json", ".ex/config.toml", ".ex/plugins/deep/sayso.js"} {
				if now[name] != old[name] && now[name] != wanted[name] {
					t.Errorf("%s: %s is %q", at, name, now[name])
				}
			}
			if step%2 == 0 {
				setUp(t, e, a)
				if s := status(t, e, a); s != SetUp {
					t.Errorf("%s, then set up: it is %v", at, s)
				}
			}
			undo(t, e, a)
			same(t, at+", then undone", snapshot(t, e), before)
		}
	}
}

// TestWriteFails: if a file cannot be written, those before it get back what they had.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	for _, already := range []bool{false, true} {
		e := newEnv(t)
		write(t, e, map[string]string{".ex/settings.json": "{}", ".ex/config.toml": "a = 1\n"})
		a := example(e)
		before := snapshot(t, e)
		if already {
			e.Command = []string{"/old/sayso"}
			setUp(t, e, a)
			os.Remove(filepath.Join(e.Home, ".ex/plugins/deep/sayso.js"))
			e.Command = []string{"sayso"}
		}
		old := snapshot(t, e)
		e.onStep = func(what, name string) error {
			if what == "rename" && strings.Contains(name, "sayso.js") {
				return errors.New("the disk is full")
			}
			return nil
		}
		c, err := Look(e, a)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Write(); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("it says %v", err)
		}
		e.onStep = nil
		got := snapshot(t, e)
		delete(got, ".ex/plugins")
		delete(got, ".ex/plugins/deep")
		delete(old, ".ex/plugins")
		delete(old, ".ex/plugins/deep")
		same(t, "failed", got, old)
		setUp(t, e, a)
		undo(t, e, a)
		same(t, "undone", snapshot(t, e), before)
	}
}

// TestUndoChanged: from a file that somebody changed since, only ours is taken out.
func TestUndoChanged(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	write(t, e, map[string]string{".ex/settings.json": "{\n  \"a\": 1 // mine\n}\n"})
	a := example(e)
	setUp(t, e, a)
	edit := func(name, old, with string) {
		path := filepath.Join(e.Home, name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(b), old, with, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit(".ex/settings.json", `"a": 1`, `"a": 2`)
	edit(".ex/config.toml", "[ours]", "[theirs]\nx = 1\n\n[ours]")
	if s := status(t, e, a); s != SetUp {
		t.Errorf("it is %v", s)
	}
	undo(t, e, a)
	got := snapshot(t, e)
	if want := "-rw-r----- {\n  \"a\": 2 // mine\n}\n"; got[".ex/settings.json"] != want {
		t.Errorf("undone: %q, want %q", got[".ex/settings.json"], want)
	}
	if want := "-rw------- [theirs]\nx = 1\n"; got[".ex/config.toml"] != want {
		t.Errorf("undone: %q, want %q", got[".ex/config.toml"], want)
	}
	if got[".ex/plugins"] != "" {
		t.Errorf("a folder is left: %v", got)
	}
}

// TestUpdate: what an older version wrote is outdated, setting up again replaces it,
// and undoing still restores what was there before the first time.
func TestUpdate(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	write(t, e, map[string]string{".ex/settings.json": "{ }"})
	before := snapshot(t, e)
	a := example(e)
	e.Command = []string{"/old/sayso"}
	setUp(t, e, a)
	e.Command = []string{"sayso"}
	if s := status(t, e, a); s != Outdated {
		t.Errorf("it is %v", s)
	}
	// A version whose plugin has another name.
	plan := a.Plan
	a.Plan = func(e *Env) (*Plan, error) {
		p, err := plan(e)
		p.Files[2] = OwnFile(filepath.Join(e.Home, ".ex/plugins/sayso-2.js"), []byte("// sayso 2\n"))
		return p, err
	}
	setUp(t, e, a)
	got := snapshot(t, e)
	if got[".ex/plugins/deep/sayso.js"] != "" || got[".ex/plugins/deep"] != "" || got[".ex/plugins/sayso-2.js"] == "" || strings.Contains(got[".ex/settings.json"], "old") {
		t.Errorf("updated: %v", got)
	}
	if s := status(t, e, a); s != SetUp {
		t.Errorf("it is %v", s)
	}
	undo(t, e, a)
	same(t, "undone", snapshot(t, e), before)
}

// TestChangedMeanwhile: a file that somebody changes while the question is open is not
// written.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	write(t, e, map[string]string{".ex/settings.json": "{}"})
	c, err := Look(e, example(e))
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(e.Home, ".ex/settings.json"), []byte("{\"b\":1}"), 0o640)
	now := snapshot(t, e)
	if err := c.Write(); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("it says %v", err)
	}
	same(t, "not written", snapshot(t, e), now)
}
