package archtest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	// | 3 | `app/door/mcp`, `app/door/acp` | …
	layerRow = regexp.MustCompile(`(?m)^\| (-?\d+|leaf) \| ([^|]*) \|`)
	quoted   = regexp.MustCompile("`([^`]+)`")
	// [text](target), where the target is in this repository
	link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
)

// The tables that people read must be the table that the test holds.
func TestDocsAgreeOnLayers(t *testing.T) {
	for _, name := range []string{"docs/contributing/packages.md", "AGENTS.md"} {
		t.Run(name, func(t *testing.T) {
			drawn := map[string]int{}
			for _, row := range layerRow.FindAllStringSubmatch(read(t, top, name), -1) {
				layer := leaf
				if row[1] != "leaf" {
					layer, _ = strconv.Atoi(row[1])
				}
				for _, pkg := range quoted.FindAllStringSubmatch(row[2], -1) {
					drawn[strings.TrimSuffix(pkg[1], "/...")] = layer
				}
			}
			if !maps.Equal(drawn, layers) {
				t.Errorf("the document draws\n%v\nthe test holds\n%v", drawn, layers)
			}
		})
	}
}

func TestDocsLinksLead(t *testing.T) {
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".work" || d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".md" {
			return nil
		}
		for _, m := range link.FindAllStringSubmatch(read(t, filepath.Dir(name), d.Name()), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDocsAgentsIsShort(t *testing.T) {
	if n := strings.Count(read(t, top, "AGENTS.md"), "\n"); n > 80 {
		t.Errorf("AGENTS.md has %d lines, more than 80", n)
	}
}
