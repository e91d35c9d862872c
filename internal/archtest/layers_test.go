package archtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const top = "../.." // of the repository, from this folder

func TestLayers(t *testing.T) {
	found, err := inspect(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// TestLayersCanFail inspects a tree in which every rule is broken. Its lines
// say so themselves: a line that ends in `// want RULE` must be found, and no
// other line may be.
func TestLayersCanFail(t *testing.T) {
	bad := filepath.Join("testdata", "badtree")
	found, err := inspect(bad)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, f := range found {
		got[f.rule] = append(got[f.rule], fmt.Sprintf("%s:%d", f.file, f.line))
	}
	want := wanted(t, bad)
	rules := []string{"upward", "sideways", "internal", "third-party", "init", "pure", "doc", "package"}
	if len(got) != len(rules) {
		t.Errorf("found rules %v, want %v", slices.Sorted(maps.Keys(got)), rules)
	}
	for _, rule := range rules {
		t.Run(rule, func(t *testing.T) {
			if len(want[rule]) == 0 {
				t.Fatal("the fixture does not break this rule")
			}
			slices.Sort(got[rule])
			slices.Sort(want[rule])
			if !slices.Equal(got[rule], want[rule]) {
				t.Errorf("found %q\n want %q", got[rule], want[rule])
			}
		})
	}
}

// wanted reads the `// want` marks below dir: file:line by rule.
func wanted(t *testing.T, dir string) map[string][]string {
	t.Helper()
	mark := regexp.MustCompile(`// want ([a-z-]+)$`)
	want := map[string][]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		for i, line := range strings.Split(string(text), "\n") {
			if m := mark.FindStringSubmatch(line); m != nil {
				want[m[1]] = append(want[m[1]], fmt.Sprintf("%s:%d", filepath.ToSlash(rel), i+1))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// A package in the table is one that exists: a plan is not a package.
func TestLayersExist(t *testing.T) {
	for pkg := range layers {
		dir := filepath.Join(top, filepath.FromSlash(pkg))
		if pkg == "sayso" {
			dir = top
		}
		if files, err := filepath.Glob(filepath.Join(dir, "*.go")); err != nil || len(files) == 0 {
			t.Errorf("%s is in the table and has no Go file (%v)", pkg, err)
		}
	}
}
