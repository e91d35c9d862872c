package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFigures runs .ci/figures on a small module: an id selects what its name begins with, but no longer number.
func TestFigures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := read(t, top, ".ci/figures")
	if err := os.Mkdir(filepath.Join(dir, ".ci"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ci", "figures"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.mod", "module example.com/figures\n\ngo 1.25\n")
	write(t, dir, "x_test.go", `package x

import (
	"fmt"
	"testing"
)

func TestFigure_P1(t *testing.T)      { t.Log("FIGURE P1 1 x"); t.Log("FIGURE P1-16 2 x") }
func TestFigure_P1Nodes(t *testing.T) { t.Log("FIGURE P1NODES 3 x") }
func TestFigure_P10(t *testing.T)     { fmt.Println("FIGURE P10 4 x") }
func TestFigure_FAILOVER(t *testing.T) { t.Log("FIGURE FAILOVER-kill 5 s") }
func TestOther(t *testing.T)          { t.Log("FIGURE P1 9 x") }
`)
	for _, tt := range []struct {
		only string
		want []string
	}{
		{"", []string{"FAILOVER-kill 5 s", "P1 1 x", "P1-16 2 x", "P10 4 x", "P1NODES 3 x"}},
		{"P1", []string{"P1 1 x", "P1-16 2 x", "P1NODES 3 x"}},
		{"P1-16", []string{"P1 1 x", "P1-16 2 x", "P1NODES 3 x"}}, // the test says all of it
		{"P10,FAILOVER", []string{"FAILOVER-kill 5 s", "P10 4 x"}},
		{"P2", []string{}},
	} {
		cmd := exec.Command(filepath.Join(dir, ".ci", "figures"))
		cmd.Env = append(os.Environ(), "ONLY="+tt.only, "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("ONLY=%s: %v\n%s", tt.only, err, out)
		}
		got := strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("ONLY=%s prints %q, want %q", tt.only, got, tt.want)
		}
	}
}
