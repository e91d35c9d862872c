package docstest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	recordID = regexp.MustCompile(`\b([SR]\d\d|P\d[A-Z]*|V\d+(WEB)?|[LTWB]\d|C10K)\b`)
	testRef  = regexp.MustCompile("`([^`]+)` ((?:(?:Test|Fuzz)\\w+(?:, )?)+)")
)

// index is the table of ids in docs/records/README.md: what each row says.
func index(p *Page) (rows map[string][]string, problems []Problem) {
	rows = map[string][]string{}
	inside := false
	for i, line := range p.Prose {
		if heading.MatchString(line) {
			inside = line == "## Index of ids"
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !inside || !strings.HasPrefix(line, "| ") || cells[0] == "id" {
			continue
		}
		if len(cells) != 4 {
			problems = append(problems, Problem{p.Name, i + 1, fmt.Sprintf("a row has an id, what it tests, the test and the latest result: %d cells", len(cells))})
			continue
		}
		for id := range strings.SplitSeq(cells[0], ", ") {
			if rows[id] != nil {
				problems = append(problems, Problem{p.Name, i + 1, id + " has two rows"})
			}
			rows[id] = cells
		}
		if !testRef.MatchString(cells[2]) {
			problems = append(problems, Problem{p.Name, i + 1, "the third cell names a package and its tests: `app/httpapi` TestMatrix"})
		}
		for _, m := range testRef.FindAllStringSubmatch(cells[2], -1) {
			for name := range strings.SplitSeq(strings.TrimSuffix(m[2], ", "), ", ") {
				if !hasTest(m[1], name) {
					problems = append(problems, Problem{p.Name, i + 1, fmt.Sprintf("%s has no %s", m[1], name)})
				}
			}
		}
	}
	return rows, problems
}

// hasTest reports whether a folder has a test; TestS31 is also TestS31InFirefox.
func hasTest(folder, name string) bool {
	files, _ := filepath.Glob(filepath.Join(top, filepath.FromSlash(folder), "*_test.go"))
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nfunc "+name)
	})
}

// TestRecordIndex finds every id of the documents in the index of the records, and
// the value of every figure of one row.
func TestRecordIndex(t *testing.T) {
	t.Parallel()
	pages := everyPage(t)
	readme := pages["docs/records/README.md"]
	rows, problems := index(readme)
	for name, p := range pages {
		if !strings.HasPrefix(name, "docs/") || p == readme {
			continue
		}
		problems = append(problems, unlisted(p, rows)...)
	}
	figures := pages["docs/records/figures.md"]
	for i, line := range figures.Prose {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 6 || cells[0] == "id" {
			continue
		}
		id := cells[0]
		row := rows[id]
		if base, _, _ := strings.Cut(strings.Split(id, ",")[0], "-"); row == nil && rows[base] == nil {
			problems = append(problems, Problem{figures.Name, i + 1, fmt.Sprintf("docs/records/README.md has no row for %s", base)})
		}
		if row != nil && !strings.Contains(row[3], cells[1]) && strings.Count(strings.Join(figures.Lines, "\n"), "\n| "+id+" |") == 1 {
			problems = append(problems, Problem{figures.Name, i + 1, fmt.Sprintf("%s is %s here and %q in docs/records/README.md", id, cells[1], row[3])})
		}
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// TestRecordHeaders finds the conditions at the head of every record that measures.
func TestRecordHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"figures", "reliability", "performance", "scale", "security-tests"} {
		p, _, err := load(top, "docs/records/"+name+".md")
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Lines) < 5 || p.Lines[2] != "| machine | load | date | command | runs |" || strings.Count(p.Lines[4], " | ") != 4 {
			t.Errorf("%s does not begin with machine, load, date, command and runs", p.Name)
		}
	}
}

// unlisted returns the ids of a page that the index does not have.
func unlisted(p *Page, rows map[string][]string) (problems []Problem) {
	for i, line := range p.Prose {
		for _, id := range recordID.FindAllString(line, -1) {
			if rows[id] == nil {
				problems = append(problems, Problem{p.Name, i + 1, fmt.Sprintf("docs/records/README.md has no row for %s", id)})
			}
		}
	}
	return problems
}

func TestRecordIndexCanFail(t *testing.T) {
	t.Parallel()
	readme, _ := Parse("README.md", "## Index of ids\n\n| id | what | test | latest |\n|---|---|---|---|\n| S07, S08 | x | `app/httpapi` TestMatrix | pass |\n"+
		"| S07 | x | `app/httpapi` TestNothing, TestMatrix | pass |\n| S09 | x | by hand | pass |\n| S10 | x |\n")
	rows, problems := index(readme)
	got := fmt.Sprint(problems)
	for _, want := range []string{"README.md:6: S07 has two rows", "README.md:6: app/httpapi has no TestNothing", "README.md:7: the third cell", "README.md:8: a row has"} {
		if !strings.Contains(got, want) {
			t.Errorf("not found: %s in %s", want, got)
		}
	}
	if len(problems) != 4 {
		t.Errorf("%d problems: %s", len(problems), got)
	}
	page, _ := Parse("a.md", "S08 and R02\n")
	if missing := unlisted(page, rows); len(missing) != 1 || missing[0].String() != "a.md:1: docs/records/README.md has no row for R02" {
		t.Errorf("%v", missing)
	}
}
