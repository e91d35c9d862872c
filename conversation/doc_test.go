package conversation

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const document = "../docs/reference/state-machine.md"

// The diagram and the table of the document are what the code does.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := table()
	want := replacePart(t, string(text), "diagram", diagram(all))
	want = replacePart(t, want, "table", matrix(all))
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s is not what the code does; rewrite it with go test ./conversation -run TestDocument -update\nwant\n%s", document, want)
	}
}

// replacePart puts text between the marks of a part.
func replacePart(t *testing.T, doc, part, text string) string {
	t.Helper()
	marks := regexp.MustCompile(`(?s)(<!-- ` + part + ` -->\n).*?(<!-- end -->)`)
	if len(marks.FindAllString(doc, -1)) != 1 {
		t.Fatalf("%s has no place for the %s", document, part)
	}
	return marks.ReplaceAllStringFunc(doc, func(old string) string {
		m := marks.FindStringSubmatch(old)
		return m[1] + text + m[2]
	})
}

// edges returns the events by which a state goes to another, or back to itself.
func edges(all map[string]map[string]cell, from, to string) (by []string) {
	for _, e := range events {
		if all[from][e.name()][to] && e.name() != "delivered" {
			by = append(by, e.name())
		}
	}
	return by
}

func diagram(all map[string]map[string]cell) string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> idle\n")
	for _, from := range states {
		for _, to := range states {
			if by := edges(all, from.name(), to.name()); len(by) > 0 {
				fmt.Fprintf(&b, "    %s --> %s: %s\n", from.name(), to.name(), strings.Join(by, ", "))
			}
		}
	}
	b.WriteString("    ended --> [*]\n```\n")
	return b.String()
}

func matrix(all map[string]map[string]cell) string {
	var b strings.Builder
	b.WriteString("| event |")
	for _, s := range states {
		fmt.Fprintf(&b, " %s |", s.name())
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(states)) + "\n")
	for _, e := range events {
		fmt.Fprintf(&b, "| %s |", e.name())
		for _, s := range states {
			fmt.Fprintf(&b, " %s |", strings.Join(all[s.name()][e.name()].list(), ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// list returns the results in the order of the states.
func (c cell) list() (all []string) {
	for _, name := range append(named(states), noChange, rejected) {
		if c[name] {
			all = append(all, name)
		}
	}
	return all
}

// A transition more or less is seen in the document.
func TestDocumentCanFail(t *testing.T) {
	t.Parallel()
	all, _ := table()
	if by := edges(all, "tool_executing", "awaiting_user_response"); !slices.Equal(by, []string{"ask_pending"}) {
		t.Errorf("the way to waiting is %q", by)
	}
	row := maps.Clone(all["awaiting_user_response"])
	row["ask_closed"] = cell{"idle": true}
	changed := maps.Clone(all)
	changed["awaiting_user_response"] = row
	if diagram(changed) == diagram(all) || matrix(changed) == matrix(all) {
		t.Error("a missing transition is not seen")
	}
}
