package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// `dialect.TestVectors`; the root package is sayso, this folder archtest
	testName = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Example|Fuzz|Benchmark)\\w*)`")
	testFunc = regexp.MustCompile(`(?m)^func (\w+)\(`)
	partName = regexp.MustCompile(`part [2-7] \((hub|HTTP|terminal|web|doors|agent)\)`)
)

// TestDocsSeedsAreCarried holds docs/seeds.md to its promise: every behaviour of
// a seed names a test, and the test exists, or the part that brings it.
func TestDocsSeedsAreCarried(t *testing.T) {
	text, _, _ := strings.Cut(read(t, top, "docs/seeds.md"), "## Where we differ")
	seeds := strings.Split(text, "\n## Seed ")[1:]
	if len(seeds) != 5 {
		t.Fatalf("found %d seeds, want 5", len(seeds))
	}
	tests := map[string]map[string]bool{}
	for _, seed := range seeds {
		rows := 0
		for row := range strings.SplitSeq(seed, "\n") {
			cells := strings.Split(row, " | ")
			if len(cells) != 2 || strings.HasPrefix(row, "| behaviour") {
				continue
			}
			rows++
			named := testName.FindAllStringSubmatch(cells[1], -1)
			if len(named) == 0 && !partName.MatchString(cells[1]) {
				t.Errorf("nothing carries this: %s", row)
			}
			for _, m := range named {
				if tests[m[1]] == nil {
					tests[m[1]] = testsIn(t, m[1])
				}
				if !tests[m[1]][m[2]] {
					t.Errorf("package %s has no %s: %s", m[1], m[2], row)
				}
			}
		}
		if rows < 10 {
			t.Errorf("seed %.9s has only %d rows", seed, rows)
		}
	}
}

// testsIn returns the names of the tests of a package.
func testsIn(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	dir := pkg
	switch pkg {
	case "sayso":
		dir = "."
	case "archtest":
		dir = "internal/archtest"
	}
	files, err := filepath.Glob(filepath.Join(top, dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("package %s has no tests (%v)", pkg, err)
	}
	names := map[string]bool{}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testFunc.FindAllSubmatch(src, -1) {
			names[string(m[1])] = true
		}
	}
	return names
}
