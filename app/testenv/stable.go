package testenv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// OnlyGrows fails if a line of the file is not among have: what the file says is promised
// to users. Lines that the file does not have are new, and are logged; with update they
// are added, which a release does. No line is ever removed.
func OnlyGrows(t testing.TB, file string, have []string, update bool) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !(update && errors.Is(err, fs.ErrNotExist)) {
		t.Fatal(err)
	}
	promised := strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })
	for _, line := range promised {
		if !slices.Contains(have, line) {
			t.Errorf("%s promises what is gone or changed: %s", file, line)
		}
	}
	added := slices.DeleteFunc(slices.Clone(have), func(line string) bool { return slices.Contains(promised, line) })
	if len(added) == 0 {
		return
	}
	if !update {
		t.Logf("new, and not promised yet:\n%s", strings.Join(added, "\n"))
		return
	}
	all := append(promised, added...)
	slices.Sort(all)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Join(slices.Compact(all), "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
