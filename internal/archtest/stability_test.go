package archtest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var heldBy = regexp.MustCompile(`<!-- held by: (.*?) -->`)
var oneTest = regexp.MustCompile(`([a-z0-9/]+)\.(Test\w+)(?: \(([^)]*)\))?`)

// Every row of docs/reference/stability.md names tests that exist: there is no promise without one.
func TestDocsStability(t *testing.T) {
	page := read(t, top, "docs/reference/stability.md")
	for _, problem := range checkPromises(page, packageTests(t)) {
		t.Error(problem)
	}
	if n := len(heldBy.FindAllString(page, -1)); n < 8 {
		t.Errorf("only %d rows name their tests", n)
	}
}

func checkPromises(page string, find func(pkg string) *tests) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, cells := range tableRows(page) {
		row := strings.Join(cells, " | ")
		held := heldBy.FindStringSubmatch(row)
		if held == nil {
			wrong("no test holds this: %s", row)
			continue
		}
		for _, m := range oneTest.FindAllStringSubmatch(held[1], -1) {
			in := find(m[1])
			if in == nil || !in.funcs[m[2]] {
				wrong("package %s has no %s: %s", m[1], m[2], row)
			} else if !strings.Contains(in.text, m[3]) {
				wrong("%s.%s has no case %q: %s", m[1], m[2], m[3], row)
			}
		}
	}
	return problems
}

func TestDocsStabilityCanFail(t *testing.T) {
	const head = "| You can rely on | Promise |\n|---|---|\n"
	find := func(pkg string) *tests {
		if pkg != "app/x" {
			return nil
		}
		return &tests{funcs: map[string]bool{"TestIt": true}, text: "exit_codes"}
	}
	for row, want := range map[string]string{
		"| it | stays <!-- held by: app/x.TestIt --> |":              "",
		"| it | stays <!-- held by: app/x.TestIt (exit_codes) --> |": "",
		"| it | stays |": "no test holds this",
		"| it | stays <!-- held by: app/x.TestGone --> |":             "has no TestGone",
		"| it | stays <!-- held by: app/y.TestIt --> |":               "package app/y has no TestIt",
		"| it | stays <!-- held by: app/x.TestIt (other_codes) --> |": "has no case",
	} {
		got := strings.Join(checkPromises(head+row, find), "; ")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", row, got, want)
		}
	}
}
