package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newEnv is a machine with an empty home, on which the named programs are installed.
func newEnv(t *testing.T, installed ...string) *Env {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	return &Env{
		Home: home, Dir: home, State: filepath.Join(home, ".local/state/sayso"), Command: []string{"sayso"},
		Getenv: func(string) string { return "" },
		LookPath: func(name string) (string, error) {
			if slices.Contains(installed, name) {
				return "/bin/" + name, nil
			}
			return "", errors.New("not found")
		},
	}
}

// example is an agent with one file of each kind.
func example(e *Env) *Agent {
	return &Agent{Name: "example", Title: "Example", Plan: func(e *Env) (*Plan, error) {
		return &Plan{Files: []File{
			{
				Path: filepath.Join(e.Home, ".ex/settings.json"),
				Add: func(before []byte) ([]byte, error) {
					return AddServer(before, e, []string{"mcpServers", "sayso"})
				},
				Remove: func(now []byte) ([]byte, error) { return RemoveServer(now, "mcpServers", "sayso") },
			},
			{
				Path:   filepath.Join(e.Home, ".ex/config.toml"),
				Add:    func(before []byte) ([]byte, error) { return EditTOML(before, SetTOML(true, []string{"ours"}, "on")) },
				Remove: func(now []byte) ([]byte, error) { return EditTOML(now, RemoveTOML("ours")) },
			},
			OwnFile(filepath.Join(e.Home, ".ex/plugins/deep/sayso.js"), []byte("// sayso 1\n")),
		}}, nil
	}}
}

// write writes files below the home. A text that begins with "-> " is a link.
func write(t *testing.T, e *Env, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(e.Home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, ok := strings.CutPrefix(files[name], "-> "); ok {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(files[name]), 0o640)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// snapshot returns all that is below the home, except the state folder.
func snapshot(t *testing.T, e *Env) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(e.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(e.Home, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			if name == ".local" {
				return filepath.SkipDir
			}
			all[name] = info.Mode().String()
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			all[name] = "-> " + to
		default:
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[name] = fmt.Sprintf("%v %s", info.Mode(), b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same fails the test if two snapshots differ, and names the files.
func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	names := maps.Clone(got)
	maps.Copy(names, want)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if got[name] != want[name] {
			t.Errorf("%s: %s is %.300q, not %.300q", what, name, got[name], want[name])
		}
	}
}

func setUp(t *testing.T, e *Env, a *Agent) *Change {
	t.Helper()
	c, err := Look(e, a)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	return c
}

func undo(t *testing.T, e *Env, a *Agent) *Undoing {
	t.Helper()
	u, err := LookUndo(e, a)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Write(); err != nil {
		t.Fatal(err)
	}
	return u
}

func status(t *testing.T, e *Env, a *Agent) Status {
	t.Helper()
	c, err := Look(e, a)
	if err != nil {
		t.Fatal(err)
	}
	return c.Status
}
