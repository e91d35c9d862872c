package archtest

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	// | 3 | `app/door/mcp`, `app/door/acp` | …
	layerRow = regexp.MustCompile(`(?m)^\| (-?\d+|leaf) \| ([^|]*) \|`)
	quoted   = regexp.MustCompile("`([^`]+)`")
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

func TestDocsAgentsIsShort(t *testing.T) {
	if n := strings.Count(read(t, top, "AGENTS.md"), "\n"); n > 80 {
		t.Errorf("AGENTS.md has %d lines, more than 80", n)
	}
}
