package testenv_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Logf(string, ...any)       {}
func (r *recorder) Errorf(f string, a ...any) { r.said = append(r.said, fmt.Sprintf(f, a...)) }

func TestOnlyGrows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stable", "v0.1.txt")
	testenv.OnlyGrows(t, file, []string{"route b", "route a"}, true)
	for _, tt := range []struct {
		have   []string
		update bool
		wrong  string
		after  string
	}{
		{[]string{"route a", "route b"}, false, "", "route a\nroute b\n"},
		{[]string{"route a", "route b", "route c"}, false, "", "route a\nroute b\n"},
		{[]string{"route a"}, false, "gone or changed: route b", "route a\nroute b\n"},
		{[]string{"route a", "route c"}, true, "gone or changed: route b", "route a\nroute b\nroute c\n"},
	} {
		r := &recorder{TB: t}
		testenv.OnlyGrows(r, file, tt.have, tt.update)
		if said := strings.Join(r.said, "; "); (said == "") != (tt.wrong == "") || !strings.Contains(said, tt.wrong) {
			t.Errorf("%q: says %q, want %q", tt.have, said, tt.wrong)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != tt.after {
			t.Errorf("%q: the file is %q, %v", tt.have, b, err)
		}
	}
}
