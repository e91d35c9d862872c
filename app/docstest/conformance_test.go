package docstest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/door/doortest"
)

// TestConformancePage fills in which checks of the MCP conformance suites fail, and why.
func TestConformancePage(t *testing.T) {
	excuses, err := doortest.Excuses()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := doortest.Excused(); err != nil {
		t.Fatal(err)
	}
	all := 0
	var rows strings.Builder
	for _, e := range excuses {
		n, names := 0, map[string]bool{}
		for _, checks := range e.Checks {
			n += len(checks)
			for _, id := range checks {
				names["`"+strings.Replace(id, " ", "` `", 1)+"`"] = true
			}
		}
		if n == 0 || !strings.HasSuffix(e.Why, ".") {
			t.Errorf("%q is no reason, or excuses nothing", e.Why)
		}
		all += n
		fmt.Fprintf(&rows, "| %s | %d | %s |\n", e.Why, n, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	p, _, err := load(top, "docs/records/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf("%d checks fail:\n\n| Reason | Checks | Scenario and check, or the one name of both |\n|---|---|---|\n%s", all, rows.String())
	want, err := p.Replace("conformance", body)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, p, want)
}
