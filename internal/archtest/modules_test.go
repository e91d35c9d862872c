package archtest

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
)

// modules are the folders of the modules, in the order in which they are released:
// each requires only modules before it.
var modules = []string{".", "app", "fantasytool", "agent"}

// requires lists what each module may require of the others.
var requires = map[string][]string{
	".":           nil,
	"app":         {"."},
	"fantasytool": {"."},
	"agent":       {".", "app", "fantasytool"},
}

// A modFile is what `go mod edit -json` and `go work edit -json` print.
type modFile struct {
	Module  struct{ Path string }
	Require []struct{ Path, Version string }
	Use     []struct{ DiskPath string }
	Replace []struct {
		Old struct{ Path, Version string }
		New struct{ Path string }
	}
}

func (f *modFile) requires(path string) bool {
	return slices.ContainsFunc(f.Require, func(r struct{ Path, Version string }) bool { return r.Path == path })
}

func modPath(folder string) string {
	if folder == "." {
		return module
	}
	return module + "/" + folder
}

// The modules can be installed from their tags: no go.mod has a replace, which `go install`
// refuses, each has its license, and each requires only what is released before it. go.work
// puts this checkout in the place of the versions that they require.
func TestModules(t *testing.T) {
	t.Parallel()
	var work modFile
	readMod(t, &work, top, "work")
	license := read(t, top, "LICENSE")
	replaced := map[string]string{} // the version in go.work, by path
	for _, r := range work.Replace {
		replaced[r.Old.Path] = r.Old.Version
	}
	for i, folder := range modules {
		dir := filepath.Join(top, folder)
		var m modFile
		readMod(t, &m, dir, "mod")
		if m.Module.Path != modPath(folder) {
			t.Errorf("%s/go.mod is of %s, want %s", folder, m.Module.Path, modPath(folder))
		}
		if len(m.Replace) != 0 {
			t.Errorf("%s/go.mod has a replace, so `go install` refuses the module; put it into go.work: %v", folder, m.Replace)
		}
		if read(t, dir, "LICENSE") != license {
			t.Errorf("%s/LICENSE is not the LICENSE of the repository", folder)
		}
		if !slices.ContainsFunc(work.Use, func(u struct{ DiskPath string }) bool { return filepath.Clean(u.DiskPath) == folder }) {
			t.Errorf("go.work does not use %s", folder)
		}
		for _, r := range m.Require {
			other, ours := folderOf(r.Path)
			switch {
			case !ours:
			case !slices.Contains(requires[folder], other) || !slices.Contains(modules[:i], other):
				t.Errorf("%s requires %s", folder, other)
			case replaced[r.Path] != r.Version:
				t.Errorf("%s requires %s %s, and go.work has this checkout in the place of %q", folder, r.Path, r.Version, replaced[r.Path])
			}
		}
		// The agents' framework lifts the go line of whoever requires it.
		if got, want := m.requires("charm.land/fantasy"), folder == "fantasytool" || folder == "agent"; got != want {
			t.Errorf("fantasy in the go.mod of %s: %v, want %v", folder, got, want)
		}
	}
}

func folderOf(path string) (string, bool) {
	for _, folder := range modules {
		if path == modPath(folder) {
			return folder, true
		}
	}
	return "", false
}

func readMod(t *testing.T, f *modFile, dir, kind string) {
	t.Helper()
	if err := json.Unmarshal([]byte(gotoolIn(t, dir, nil, kind, "edit", "-json")), f); err != nil {
		t.Fatal(err)
	}
}
