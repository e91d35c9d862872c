package docstest

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const troubleshooting = "docs/guides/troubleshooting.md"

// row is one line of the page's table.
type row struct {
	line int
	sees string
}

// rows returns the table of the page.
func rows(p *Page) (all []row) {
	for i, line := range p.Prose {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| You see") {
			continue
		}
		all = append(all, row{i + 1, strings.TrimSpace(strings.TrimPrefix(cells[0], "| "))})
	}
	return all
}

// message returns what a row quotes, as it is compared, and whether it does.
func message(sees string) (*regexp.Regexp, bool) {
	_, rest, _ := strings.Cut(sees, "`")
	text, _, quoted := strings.Cut(rest, "`")
	return regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(text), "…", ".*")), quoted
}

// TestTroubleshooting has every row of the page happen.
func TestTroubleshooting(t *testing.T) {
	p, problems, err := load(top, troubleshooting)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	all := rows(p)
	var seen []string
	for _, r := range all {
		seen = append(seen, r.sees)
		if _, ok := trouble[r.sees]; !ok {
			t.Errorf("%s:%d: nothing produces %q", troubleshooting, r.line, r.sees)
		}
	}
	if !slices.IsSortedFunc(seen, func(a, b string) int { return strings.Compare(sortKey(a), sortKey(b)) }) {
		t.Errorf("%s: the rows are not sorted by what you see", troubleshooting)
	}
	repository, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	sayso := program(t)
	for sees, script := range trouble {
		if !slices.Contains(seen, sees) {
			t.Errorf("%s has no row %q", troubleshooting, sees)
			continue
		}
		t.Run(sees, func(t *testing.T) {
			t.Parallel()
			w, err := newWorld(sayso)
			if err != nil {
				t.Fatal(err)
			}
			defer w.close()
			w.env = append(w.env, "REPOSITORY="+repository)
			out, code, err := w.run(call{command: script, unseen: true})
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if want, quoted := message(sees); quoted && !want.MatchString(out) {
				t.Errorf("expected %s\n     got %s", want, out)
			} else if !quoted && code != 0 {
				t.Errorf("it exits %d: %s", code, out)
			}
		})
	}
}

// sortKey is what a row is sorted by: its first letter or digit, and what follows.
func sortKey(sees string) string {
	return strings.ToLower(strings.TrimLeft(sees, "`…-\" "))
}
