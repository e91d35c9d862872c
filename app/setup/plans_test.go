package setup

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// everything is a machine on which every agent is installed, and Zed.
func everything(t *testing.T) *Env {
	t.Helper()
	var commands []string
	for _, a := range Agents() {
		commands = append(commands, a.Commands...)
	}
	e := newEnv(t, commands...)
	if err := os.MkdirAll(filepath.Join(e.Home, ".config/zed"), 0o755); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestPlans compares what is shown before an agent is set up, and what it has in its
// files then, with golden files.
func TestPlans(t *testing.T) {
	t.Parallel()
	for _, a := range Agents() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			e := everything(t)
			c, err := Look(e, a)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			b.WriteString(strings.Join(c.Diff(), "\n") + "\n")
			for _, f := range c.files {
				if f.Remove != nil {
					b.WriteString("\n" + short(e, f.Path) + ":\n" + string(f.after))
				}
			}
			b.WriteString("\n" + c.After + "\n")
			got := strings.ReplaceAll(b.String(), e.Home, "$HOME")
			file := filepath.Join("testdata/plans", a.Name+".txt")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || got != string(want) {
				t.Errorf("got\n%s\nwant\n%s (%v)", got, want, err)
			}
		})
	}
}

// TestEveryAgent: every agent, with settings of somebody's in each of its files, is set
// up and undone without a trace, also if the files are changed in between; no secret is
// shown.
func TestEveryAgent(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		".json": "{\n\t// " + secret + "\n\t\"token\": \"" + secret + "\", /* mine */\n}\r\n",
		".toml": "# " + secret + "\ntoken = '" + secret + "' # mine",
		"":      "mine: " + secret + "\n",
	}
	for _, a := range Agents() {
		for _, there := range []bool{true, false} {
			name := a.Name
			if !there {
				name += " without files"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := everything(t)
				plan, err := a.Plan(e)
				if err != nil {
					t.Fatal(err)
				}
				files := map[string]string{}
				for _, f := range plan.Files {
					rel, err := filepath.Rel(e.Home, f.Path)
					if err != nil || !filepath.IsLocal(rel) {
						t.Fatalf("%s is not in the home", f.Path)
					}
					ext := filepath.Ext(rel)
					if ext == ".jsonc" {
						ext = ".json"
					}
					if f.Remove != nil && there && texts[ext] != "" {
						files[rel] = texts[ext]
					}
				}
				write(t, e, files)
				before := snapshot(t, e)
				c := setUp(t, e, a)
				shown := c.Diff()
				if len(shown) == 0 {
					t.Errorf("it shows %q", shown)
				}
				if s := status(t, e, a); s != SetUp {
					t.Errorf("it is %v: %q", s, mustLook(t, e, a).Diff())
				}
				after := snapshot(t, e)
				setUp(t, e, a)
				same(t, "set up again", snapshot(t, e), after)
				for name, text := range files {
					if n := strings.Count(text, secret); strings.Count(after[name], secret) != n {
						t.Errorf("%s has lost something: %s", name, after[name])
					}
				}
				u := undo(t, e, a)
				shown = append(shown, u.Diff()...)
				same(t, "undone", snapshot(t, e), before)

				// Another version of sayso is outdated, not missing.
				setUp(t, e, a)
				e.Command = []string{"/another/sayso"}
				if s := status(t, e, a); s != Outdated {
					t.Errorf("with another command it is %v", s)
				}
				shown = append(shown, setUp(t, e, a).Diff()...)
				if s := status(t, e, a); s != SetUp {
					t.Errorf("updated, it is %v: %q", s, mustLook(t, e, a).Diff())
				}
				// Somebody changes each file.
				meanings := map[string]any{}
				for name, text := range files {
					path := filepath.Join(e.Home, name)
					b, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					edited, was := b, []byte(text)
					switch filepath.Ext(name) {
					case ".toml":
						edited, err = EditTOML(b, SetTOML(7, nil, "seven"))
						was, _ = EditTOML(was, SetTOML(7, nil, "seven"))
					case ".json", ".jsonc":
						edited, err = EditJSON(b, SetJSON(7, "seven"))
						was, _ = EditJSON(was, SetJSON(7, "seven"))
					}
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, edited, 0o600); err != nil {
						t.Fatal(err)
					}
					if meanings[name], err = decode(name, was); err != nil {
						delete(meanings, name)
					}
				}
				shown = append(shown, undo(t, e, a).Diff()...)
				for name, want := range meanings {
					b, err := os.ReadFile(filepath.Join(e.Home, name))
					if err != nil {
						t.Fatal(err)
					}
					if got, err := decode(name, b); err != nil || !reflect.DeepEqual(got, want) {
						t.Errorf("%s was changed and undone, and is\n%s\n(%v)", name, b, err)
					}
				}
				if s := strings.Join(shown, "\n"); strings.Contains(s, secret) {
					t.Errorf("a secret is shown:\n%s", s)
				}
				if left, _ := filepath.Glob(filepath.Join(e.State, "setup", "*")); len(left) > 0 {
					t.Errorf("what undoing needed is still there: %q", left)
				}
			})
		}
	}
}

func mustLook(t *testing.T, e *Env, a *Agent) *Change {
	t.Helper()
	c, err := Look(e, a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
