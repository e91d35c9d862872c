package doortest

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Setup connects an agent as a user does, who confirms.
func (w *World) Setup(agent string, more ...string) {
	w.t.Helper()
	before := w.snapshot()
	w.Run(w.Env(), w.Sayso, append([]string{"setup", agent, "--yes"}, more...)...)
	if w.setups == nil {
		w.setups = map[string]setupDone{}
	}
	w.setups[agent] = setupDone{before: before, after: w.snapshot()}
}

// setupDone is the home before and after an agent was set up.
type setupDone struct{ before, after map[string]string }

// UndoSetup takes back what [World.Setup] did, as a user does, and checks that every
// file and folder of the home is as before, byte for byte, and none is left. A file
// that the program has written in the meantime just has nothing of sayso's any more;
// files that only the program has made are none of ours.
func (w *World) UndoSetup(agent string) {
	w.t.Helper()
	done, ok := w.setups[agent]
	if !ok {
		w.t.Fatalf("%s was not set up", agent)
	}
	now := w.snapshot()
	w.Run(w.Env(), w.Sayso, "setup", agent, "--undo", "--yes")
	undone := w.snapshot()
	changed := 0
	names := maps.Clone(done.before)
	maps.Copy(names, done.after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, after := done.before[name], done.after[name]
		if before == after {
			continue
		}
		changed++
		switch is := undone[name]; {
		case is == before:
		case now[name] == after && strings.HasPrefix(after, "folder") && w.filled(undone, name):
			// The program has put files of its own into it.
		case now[name] == after:
			w.t.Errorf("setup of %s was undone, and %s is %.2000q, not %.2000q", agent, name, is, before)
		case strings.Contains(is, "sayso"):
			w.t.Errorf("setup of %s was undone, and %s still has something of it: %.2000q", agent, name, is)
		}
	}
	if changed == 0 {
		w.t.Errorf("setup of %s has changed no file", agent)
	}
	if _, err := os.Stat(filepath.Join(w.Home, stateFolder, "setup")); err == nil {
		w.t.Errorf("setup of %s was undone, and the state folder still has a record", agent)
	}
}

// stateFolder is where sayso keeps what is its own, below the home.
const stateFolder = ".local/state/sayso"

func (w *World) filled(files map[string]string, folder string) bool {
	for name := range files {
		if strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}

// snapshot returns everything below the home but sayso's own folder: mode and content
// by name.
func (w *World) snapshot() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.Home, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(w.Home, path)
		if err != nil {
			return nil // a program has removed it
		}
		if d.IsDir() && name == stateFolder {
			return filepath.SkipDir
		}
		if name == "." || strings.HasPrefix(stateFolder, name+"/") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		switch {
		case d.IsDir():
			all[name] = fmt.Sprintf("folder %v", info.Mode())
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			all[name] = "link to " + to
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err == nil {
				all[name] = fmt.Sprintf("file %v\n%s", info.Mode(), bytes.Clone(b))
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}
