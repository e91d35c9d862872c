package docstest

import (
	"fmt"
	"maps"
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

// compareRows returns what is wrong between the rows of the page and the scripts.
func compareRows(p *Page, scripts map[string]string) (problems []string) {
	var seen []string
	for _, r := range rows(p) {
		if _, ok := scripts[r.sees]; !ok {
			problems = append(problems, fmt.Sprintf("%s:%d: nothing produces %q", p.Name, r.line, r.sees))
		}
		if n := len(seen); n > 0 && sortKey(seen[n-1]) >= sortKey(r.sees) {
			problems = append(problems, fmt.Sprintf("%s:%d: the rows are sorted by what you see: %q", p.Name, r.line, r.sees))
		}
		seen = append(seen, r.sees)
	}
	for _, sees := range slices.Sorted(maps.Keys(scripts)) {
		if !slices.Contains(seen, sees) {
			problems = append(problems, fmt.Sprintf("%s: there is no row %q", p.Name, sees))
		}
	}
	return problems
}

// sortKey is what a row is sorted by: from its first letter or digit on.
func sortKey(sees string) string {
	return strings.ToLower(strings.TrimLeft(sees, "`…-\" "))
}

// produced reports whether a script has shown what the row says.
func produced(sees, out string, code int) error {
	switch want, quoted := message(sees); {
	case quoted && !want.MatchString(out):
		return fmt.Errorf("expected %s\n     got %s", want, out)
	case !quoted && code != 0:
		return fmt.Errorf("it exits %d: %s", code, out)
	}
	return nil
}

// TestTroubleshooting has every row of the page happen.
func TestTroubleshooting(t *testing.T) {
	p, problems, err := load(top, troubleshooting)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	for _, text := range compareRows(p, trouble) {
		t.Error(text)
	}
	repository, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	sayso := program(t)
	for sees, script := range trouble {
		t.Run(sees, func(t *testing.T) {
			t.Parallel()
			w, err := newWorld(sayso)
			if err != nil {
				t.Fatal(err)
			}
			defer w.close()
			w.env = append(w.env, "REPOSITORY="+repository)
			out, code, err := w.run(call{command: script, unseen: true})
			if err == nil {
				err = produced(sees, out, code)
			}
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestTroubleshootingCanFail(t *testing.T) {
	p, _ := Parse("page.md", "| You see | Why | Do |\n|---|---|---|\n| `b … c` | x | y |\n| `a` | x | y |\n| Exit code 1 | x | y |\n")
	got := strings.Join(compareRows(p, map[string]string{"`b … c`": "", "`a`": "", "`gone`": ""}), "\n")
	want := "page.md:4: the rows are sorted by what you see: \"`a`\"\n" +
		"page.md:5: nothing produces \"Exit code 1\"\n" +
		"page.md: there is no row \"`gone`\""
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, c := range []struct {
		sees, out string
		code      int
		ok        bool
	}{
		{"`b … c`", "sayso: b 12 c", 1, true},
		{"`b … c`", "sayso: b", 0, false},
		{"Exit code 1", "", 0, true},
		{"Exit code 1", "", 1, false},
	} {
		if err := produced(c.sees, c.out, c.code); (err == nil) != c.ok {
			t.Errorf("%s, %q, %d: %v", c.sees, c.out, c.code, err)
		}
	}
}
