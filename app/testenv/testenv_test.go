package testenv_test

import (
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

// noted is a test that notes what becomes of it, and goes on.
type noted struct {
	testing.TB
	skipped, failed []any
	logged          []string
}

func (n *noted) Helper()          {}
func (n *noted) Skip(args ...any) { n.skipped = append(n.skipped, args...) }
func (n *noted) Fatal(a ...any)   { n.failed = append(n.failed, a...) }

func TestTools(t *testing.T) {
	for ci, want := range map[string]struct{ skipped, failed int }{"": {1, 0}, "1": {0, 1}} {
		t.Setenv("SAYSO_CI", ci)
		n := &noted{TB: t}
		testenv.Tools(n, "go", "no-such-tool-anywhere")
		if len(n.skipped) != want.skipped || len(n.failed) != want.failed {
			t.Errorf("with SAYSO_CI=%q: skipped %v, failed %v", ci, n.skipped, n.failed)
		}
		for _, why := range append(n.skipped, n.failed...) {
			if why != "needs no-such-tool-anywhere, which is not installed" {
				t.Errorf("it says %q", why)
			}
		}
	}
}
