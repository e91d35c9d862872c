package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var wants = regexp.MustCompile(`(?m)^<!-- wants (\d+): (.*) -->$`)

// TestBadPages shows that the runner can fail: each page of testdata/bad says in
// its first line at which line it goes wrong, and how.
func TestBadPages(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	sayso := program(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := wants.FindStringSubmatch(string(text))
			if want == nil {
				t.Fatal("the page does not say what is wrong with it")
			}
			line, _ := strconv.Atoi(want[1])
			p, problems := Parse(file, string(text))
			if problems = append(problems, p.Check(top)...); len(problems) == 0 {
				_, problems = p.Run(sayso)
			}
			if len(problems) != 1 || problems[0].Line != line || !strings.Contains(problems[0].Text, want[2]) {
				t.Errorf("found %v\nwant line %d: %s", problems, line, want[2])
			}
		})
	}
}

// TestGoodPage runs a page with one of each.
func TestGoodPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/good/page.md")
	if err != nil {
		t.Fatal(err)
	}
	p, problems := Parse("page.md", string(text))
	problems = append(problems, p.Check(top)...)
	ran, more := p.Run(program(t))
	for _, one := range append(problems, more...) {
		t.Error(one)
	}
	if ran != 8 {
		t.Errorf("%d blocks were run, want 8", ran)
	}
}
