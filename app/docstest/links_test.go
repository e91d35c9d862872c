package docstest

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// everyPage reads every Markdown file of the repository that people read.
func everyPage(t testing.TB) map[string]*Page {
	t.Helper()
	pages := map[string]*Page{}
	skip := []string{".work", ".git", "node_modules", "testdata", "dist"}
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(skip, d.Name()) {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".md" {
			return nil
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		pages[rel], _, err = load(top, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func TestLinks(t *testing.T) {
	t.Parallel()
	pages := everyPage(t)
	problems, links := CheckLinks(top, pages)
	for _, p := range problems {
		t.Error(p)
	}
	t.Logf("%d links in %d pages, %d broken", links, len(pages), len(problems))
}

// TestReach shows that docs/README.md leads to every page in two clicks.
func TestReach(t *testing.T) {
	t.Parallel()
	pages := everyPage(t)
	const start = "docs/README.md"
	clicks := Reach(start, pages)
	for name := range pages {
		if !strings.HasPrefix(name, "docs/") {
			continue
		}
		if n, ok := clicks[name]; !ok || n > 2 {
			t.Errorf("%s is not within two clicks of %s: link it there", name, start)
		}
	}
}

// TestWords counts the words of every page.
func TestWords(t *testing.T) {
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
		most, ok := limit(name)
		switch n := p.Words(); {
		case !ok:
			t.Errorf("%s has no limit of words: add it to the table in words.go", name)
		case most > 0 && n > most:
			t.Errorf("%s has %d words, more than %d", name, n, most)
		}
	}
}

func TestAnchors(t *testing.T) {
	t.Parallel()
	p, _ := Parse("a.md", "# What `sayso ask` does, and why\n## Twice\n## Twice\n### [Linked](b.md) (1.2)\n<a id=\"old\"></a>\n```text\n# No heading\n```\n")
	got := p.Anchors()
	for _, want := range []string{"what-sayso-ask-does-and-why", "twice", "twice-1", "linked-12", "old"} {
		if !got[want] {
			t.Errorf("no %s in %v", want, got)
		}
	}
	if len(got) != 5 {
		t.Errorf("%v", got)
	}
}

// TestLinksCanFail breaks a link in each way.
func TestLinksCanFail(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"missing.md":         "leads to no file: docs/missing.md",
		"../README.md#nope":  "leads to no heading of README.md",
		"#nope":              "leads to no heading of docs/a.md",
		"../go.mod#nope":     "but go.mod is no page",
		"../docs#nope":       "but docs is no page",
		"../nothing/":        "leads to no file: nothing",
		"#here":              "",
		"../go.mod#L3":       "",
		"../docs":            "",
		"https://nowhere.is": "",
		"https://github.com/saysohq/sayso/blob/main/docs/missing.md": "leads to no file",
	} {
		page, _ := Parse("docs/a.md", "# Here\n[x]("+link+") and `[y](no-link)`\n```text\n[z](no-link)\n```\n<!-- [c](no-link) -->\n")
		readme, _ := Parse("README.md", "# sayso\n")
		problems, _ := CheckLinks(top, map[string]*Page{page.Name: page, readme.Name: readme})
		var texts []string
		for _, p := range problems {
			texts = append(texts, p.String())
		}
		got := strings.Join(texts, "; ")
		if want == "" && got != "" || !strings.Contains(got, want) || want != "" && (len(problems) != 1 || !strings.HasPrefix(got, "docs/a.md:2: ")) {
			t.Errorf("%s: found %q, want %q", link, got, want)
		}
	}
}

// TestReachCanFail has a page at each distance.
func TestReachCanFail(t *testing.T) {
	t.Parallel()
	pages := map[string]*Page{}
	for name, text := range map[string]string{
		"docs/README.md": "[a](a.md)", "docs/a.md": "[b](b)", "docs/b/README.md": "[c](../c.md)", "docs/c.md": "", "docs/alone.md": "",
	} {
		pages[name], _ = Parse(name, text)
	}
	got := Reach("docs/README.md", pages)
	for name, want := range map[string]int{"docs/README.md": 0, "docs/a.md": 1, "docs/b/README.md": 2, "docs/c.md": 3} {
		if got[name] != want {
			t.Errorf("%s is %d clicks away, want %d", name, got[name], want)
		}
	}
	if _, ok := got["docs/alone.md"]; ok {
		t.Error("there is a way to docs/alone.md")
	}
}

// TestWordsCanFail counts only what people read.
func TestWordsCanFail(t *testing.T) {
	t.Parallel()
	p, _ := Parse("a.md", "# One two\n\nthree [four](five-is-an-address) — `six`\n<!-- seven -->\n```text\neight\n```\n<!-- part: made by x -->\nnine ten\n<!-- end -->\n")
	if n := p.Words(); n != 5 {
		t.Errorf("%d words, want 5", n)
	}
}
