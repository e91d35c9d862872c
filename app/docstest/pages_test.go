package docstest

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso/app/internal/cli"
)

const top = "../.." // of the repository, from this folder

var update = flag.Bool("update", false, "copy compiled code into the pages and write the golden files")

// TestMain is also the program: what is called sayso is sayso.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "sayso" {
		os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
	}
	flag.Parse()
	os.Exit(m.Run())
}

// program returns a copy of this test program that is called sayso.
func program(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "sayso")
	if os.Link(self, name) == nil {
		return name
	}
	data, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(name, data, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// withNATS puts the programs of NATS beside sayso if a page runs them: those of the very
// version that sayso is built with.
func withNATS(t *testing.T, p *Page, sayso string) string {
	t.Helper()
	if !slices.ContainsFunc(p.Lines, func(l string) bool { return strings.HasPrefix(l, "nats-server ") }) {
		return sayso
	}
	dir := t.TempDir()
	for _, program := range []string{"github.com/nats-io/nats-server/v2", "github.com/nats-io/nkeys/nk"} {
		if out, err := exec.Command("go", "build", "-o", dir+"/", program).CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", program, err, out)
		}
	}
	name := filepath.Join(dir, "sayso")
	if err := os.Symlink(sayso, name); err != nil {
		t.Fatal(err)
	}
	return name
}

// elsewhere are the pages that another module runs, with a program of its own:
// TestPage in agent/internal/cli.
var elsewhere = []string{"docs/reference/sayso-agent.md"}

// TestPages runs every page. One of them:
//
//	go test ./docstest -run 'TestPages/docs/start/quick-start.md'
func TestPages(t *testing.T) {
	names, err := Pages(top)
	if err != nil {
		t.Fatal(err)
	}
	repository, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	sayso := program(t)
	var pages, ran atomic.Int64
	t.Cleanup(func() { t.Logf("%d pages, %d blocks run", pages.Load(), ran.Load()) })
	for _, name := range names {
		if slices.Contains(elsewhere, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, problems, err := load(top, name)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := p.CopyIn(top); err != nil {
					t.Fatal(err)
				}
			}
			problems = append(problems, p.Check(top)...)
			if len(problems) == 0 {
				var n int
				n, problems = p.RunIn(withNATS(t, p, sayso), []string{"REPOSITORY=" + repository})
				ran.Add(int64(n))
				pages.Add(1)
			}
			for _, one := range problems {
				t.Error(one)
			}
		})
	}
}

// TestExcused compares the blocks that are not run with the golden list of their
// reasons, so that a review sees each new one.
func TestExcused(t *testing.T) {
	names, err := Pages(top)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range names {
		p, _, err := load(top, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range p.Blocks {
			if block.NoTest != "" {
				b.WriteString(name + ": " + block.NoTest + "\n")
			}
		}
	}
	golden(t, "testdata/excused.txt", b.String())
}

// golden compares a text with a file, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s has\n%s\nit should have\n%s\nwrite it with: go test ./docstest -update", name, want, got)
	}
}
