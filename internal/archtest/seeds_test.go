package archtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// `dialect.TestVectors` (case, case); the root package is sayso, this folder archtest
	testName  = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Example|Fuzz|Benchmark)\\w*)`(?: \\(([^)]*)\\))?")
	looseName = regexp.MustCompile("`(?:Test|Example|Fuzz|Benchmark)\\w*`")
	testFunc  = regexp.MustCompile(`(?m)^func (\w+)\(`)
	planName  = regexp.MustCompile(`(?i)\bpart \d`)
)

// TestDocsSeeds holds docs/records/original-designs.md to its promise: every behaviour of a seed names a
// test that exists, and every difference says why.
func TestDocsSeeds(t *testing.T) {
	for _, problem := range checkSeeds(read(t, top, "docs/records/original-designs.md"), 10, packageTests(t)) {
		t.Error(problem)
	}
}

// tests are the tests of one package.
type tests struct {
	funcs map[string]bool
	text  string // their source, and the names of the files in testdata
}

// checkSeeds returns what is wrong with the page. Each of its five seeds has at least
// so many rows; find returns the tests of a package, nil if there are none.
func checkSeeds(page string, rows int, find func(pkg string) *tests) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	sections := strings.Split(page, "\n## ")
	seeds, differ := 0, 0
	for _, section := range sections[1:] {
		title, body, _ := strings.Cut(section, "\n")
		isSeed := strings.HasPrefix(title, "Seed ")
		columns := 4
		if isSeed {
			seeds++
			columns = 2
		}
		n := 0
		for _, cells := range tableRows(body) {
			row := strings.Join(cells, " | ")
			n++
			if len(cells) != columns {
				wrong("%s: %d cells, want %d: %s", title, len(cells), columns, row)
				continue
			}
			for _, c := range cells {
				if strings.TrimSpace(c) == "" {
					wrong("%s: an empty cell: %s", title, row)
				}
			}
			if planName.MatchString(row) {
				wrong("%s: names a part of a plan, not a test: %s", title, row)
			}
			if loose := looseName.FindString(row); loose != "" {
				wrong("%s: %s has no package: %s", title, loose, row)
			}
			named := testName.FindAllStringSubmatch(row, -1)
			if isSeed && len(testName.FindAllString(cells[1], -1)) == 0 {
				wrong("%s: no test shows this: %s", title, row)
			}
			for _, m := range named {
				in := find(m[1])
				if in == nil || !in.funcs[m[2]] {
					wrong("%s: package %s has no %s: %s", title, m[1], m[2], row)
					continue
				}
				for c := range strings.SplitSeq(m[3], ", ") {
					if !strings.Contains(in.text, c) {
						wrong("%s: %s.%s has no case %q: %s", title, m[1], m[2], c, row)
					}
				}
			}
		}
		if isSeed && n < rows {
			wrong("%s has only %d rows", title, n)
		}
		if title == "Where we differ" {
			differ = n
		}
	}
	if seeds != 5 || differ == 0 {
		wrong("%d seeds and %d differences, want 5 and some", seeds, differ)
	}
	return problems
}

// tableRows returns the cells of each row of the tables in body, without their heads.
func tableRows(body string) (rows [][]string) {
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		isHead := i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|---")
		if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|---") && !isHead {
			rows = append(rows, strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | "))
		}
	}
	return rows
}

// packageTests returns a function that finds the tests of a package.
func packageTests(t *testing.T) func(pkg string) *tests {
	known := map[string]*tests{}
	return func(pkg string) *tests {
		if in, ok := known[pkg]; ok {
			return in
		}
		known[pkg] = testsIn(t, pkg)
		return known[pkg]
	}
}

func testsIn(t *testing.T, pkg string) *tests {
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
		return nil
	}
	in := &tests{funcs: map[string]bool{}}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in.text += string(src)
		for _, m := range testFunc.FindAllSubmatch(src, -1) {
			in.funcs[string(m[1])] = true
		}
	}
	filepath.WalkDir(filepath.Join(top, dir, "testdata"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			in.text += "\n" + strings.TrimSuffix(d.Name(), filepath.Ext(d.Name()))
		}
		return nil // a package without testdata has only its source
	})
	return in
}

// TestSeedsCheckCanFail shows that the check finds each thing that it is there for.
func TestSeedsCheckCanFail(t *testing.T) {
	find := func(pkg string) *tests {
		if pkg != "dialect" {
			return nil
		}
		return &tests{map[string]bool{"TestVectors": true}, `{"a choice"}`}
	}
	good := "| it asks | `dialect.TestVectors` (a choice) |"
	page := func(row, differ string) string {
		var b strings.Builder
		for i := range 5 {
			fmt.Fprintf(&b, "\n## Seed %d\n\n| behaviour | shown by |\n|---|---|\n%s\n", i, good)
		}
		fmt.Fprintf(&b, "%s\n\n## Where we differ\n\n| seed | there | here | why |\n|---|---|---|---|\n%s\n", row, differ)
		return b.String()
	}
	reason := "| 1 | a | b | because |"
	for name, tt := range map[string]struct {
		page string
		want string // "": nothing is wrong
	}{
		"as it should be":          {page("", reason), ""},
		"a part of a plan":         {page("| keys | part 4 (terminal), `dialect.TestVectors` |", reason), "names a part of a plan"},
		"prose only":               {page("| keys | the dialog has them |", reason), "no test shows this"},
		"a package is no test":     {page("| keys | package `dialect` |", reason), "no test shows this"},
		"a test as the behaviour":  {page("| `dialect.TestVectors` | the dialog |", reason), "no test shows this"},
		"no such test":             {page("| keys | `dialect.TestKeys` |", reason), "package dialect has no TestKeys"},
		"no such package":          {page("| keys | `dialog.TestVectors` |", reason), "package dialog has no TestVectors"},
		"one of two is missing":    {page("| keys | `dialect.TestVectors`, `dialect.TestKeys` |", reason), "package dialect has no TestKeys"},
		"no such case":             {page("| keys | `dialect.TestVectors` (a choice, a key) |", reason), `no case "a key"`},
		"a test without a package": {page("| keys | `dialect.TestVectors`, `TestKeys` |", reason), "`TestKeys` has no package"},
		"a row that is cut":        {page("| keys |", reason), "1 cells, want 2"},
		"nothing behind it":        {page("| keys |  |", reason), "no test shows this"},
		"no reason":                {page("", "| 1 | a | b |"), "3 cells, want 4"},
		"a difference's test":      {page("", "| 1 | a | `dialect.TestKeys` | c |"), "package dialect has no TestKeys"},
		"no differences":           {page("", ""), "0 differences"},
		"a seed is missing":        {strings.Replace(page("", reason), "## Seed 3", "## Other", 1), "4 seeds"},
		"a seed without rows":      {strings.Replace(page("", reason), good, "", 1), "has only 0 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(checkSeeds(tt.page, 1, find), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}
