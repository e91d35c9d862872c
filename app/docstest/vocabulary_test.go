package docstest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// readByPeople returns every text that people read, by name: pages, the help of
// every command, what the inbox and the problems of the API say.
func readByPeople(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	names, err := Pages(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "AGENTS.md") {
		p, _, err := load(top, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = p.said()
	}
	for _, pattern := range []string{
		"app/surface/web/templates/*.html", "app/surface/web/*.go", "app/surface/words/english*.go", "app/httpapi/problem.go", "Makefile",
		"app/auth/*.go", "app/internal/cli/*.go", "app/internal/cli/localhub/serve.go", "agent/internal/cli/*.go", "hub/errors.go", // their errors
	} {
		files, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.ToSlash(strings.TrimPrefix(file, top+"/"))
			switch filepath.Ext(file) {
			case ".go":
				all[name] = literals(text)
			case ".html":
				all[name] = shown(string(text))
			default:
				all[name] = strings.Split(string(text), "\n")
			}
		}
	}
	// The manual pages have the help of every command.
	dir := t.TempDir()
	if out, err := exec.Command(program(t), "man", dir).CombinedOutput(); err != nil {
		t.Fatalf("sayso man: %v\n%s", err, out)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d manual pages: %v", len(pages), err)
	}
	for _, file := range pages {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".1"), "-", " ")+" --help"] = strings.Split(string(text), "\n")
	}
	return all
}

// TestVocabulary keeps private words out of what people read.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	for name, lines := range readByPeople(t) {
		for _, p := range Vocabulary(name, lines) {
			t.Error(p)
		}
	}
}

// TestBareIDs keeps the names of tests and figures out of the pages.
func TestBareIDs(t *testing.T) {
	t.Parallel()
	names, err := Pages(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p, _, err := load(top, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range p.BareIDs() {
			t.Error(one)
		}
	}
}

// TestVocabularyCanFail has each word, and what looks like one.
func TestVocabularyCanFail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"It waits in the waiting room.":          `"waiting room": write hub`,
		"Every agent spells it differently.":     `"spells": write format`,
		"How a Door is opened":                   `"Door": write integration`,
		"The engine stores it.":                  `"engine": write storage`,
		"Own words are quoted.":                  `"Own words": write "in your own words"`,
		"Answer in your own words.":              "",
		"Indoor, flooring, lawful and rooms-ish": `"rooms": write package`,
		"Use `app/door/hook` and `engine`.":      "",
		"[see](docs/door.md)":                    "",
		"[the door](x.md)":                       `"door"`,
		"Ask its person.":                        `"its person": write you`,
		"Written with Bubble Tea":                "",
	} {
		p, _ := Parse("a.md", text+"\n```text\nthe waiting room\n```\n<!-- a door -->\n")
		problems := Vocabulary(p.Name, p.said())
		got := fmt.Sprint(problems)
		if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.Contains(got, "a.md:1: "+want)) {
			t.Errorf("%s: found %s, want %q", text, got, want)
		}
	}
	for name, want := range map[string]int{"docs/guides/a.md": 1, "README.md": 1, "docs/reference/a.md": 0, "docs/contributing/a.md": 0} {
		if got := Vocabulary(name, []string{"ask the person"}); len(got) != want {
			t.Errorf("%s: %v, want %d", name, got, want)
		}
	}
	if got := Vocabulary("a.html", shown("<p class=\"door\"\n>{{/* a door */}}fine\n<img alt=\"a bell\">")); len(got) != 1 || got[0].Line != 3 {
		t.Errorf("in a template: %v", got)
	}
	if got := Vocabulary("a.go", literals([]byte("package a // a door\nvar door = \"the bell\"\n"))); len(got) != 1 || got[0].Line != 2 {
		t.Errorf("in a Go file: %v", got)
	}
}

func TestBareIDsCanFail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"Shown by S07 and P4-list-person.": 2, "See [S07](../records/README.md#s07).": 0, "`S07`, A1, MP3, p99, HTTP2": 0,
	} {
		p, _ := Parse("a.md", text)
		if got := p.BareIDs(); len(got) != want {
			t.Errorf("%s: %v, want %d", text, got, want)
		}
	}
}
