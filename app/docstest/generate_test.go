package docstest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rewrite compares a page with what it should be, or writes it.
func rewrite(t *testing.T, p *Page, want string) {
	t.Helper()
	file := filepath.Join(top, filepath.FromSlash(p.Name))
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want == string(got) {
		return
	}
	if !*update {
		t.Errorf("%s is out of date; write it with: go test ./docstest -update\nit should be\n%s", p.Name, want)
	} else if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLimits collects the limits of all pages in docs/reference/limits.md.
func TestLimits(t *testing.T) {
	const name = "docs/reference/limits.md"
	names, err := Pages(top)
	if err != nil {
		t.Fatal(err)
	}
	var all []Limit
	seen := map[string]Limit{}
	for _, one := range names {
		p, _, err := load(top, one)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.Limits() {
			if twice, ok := seen[l.ID]; ok {
				t.Error(Problem{one, l.Line, fmt.Sprintf("the limit %s is on %s already", l.ID, twice.Page.Name)})
			}
			seen[l.ID] = l
			all = append(all, l)
		}
	}
	page, _, err := load(top, name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := page.Replace("limits", LimitList(name, all))
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, page, want)
	t.Logf("%d limits", len(all))
}

func TestLimitList(t *testing.T) {
	t.Parallel()
	p, _ := Parse("docs/guides/a.md", "# A page\n\n## Same\n\n## Same\n\n- You cannot [fly](b.md). <!-- limit: fly -->\n| you swim | you drown | <!-- limit: swim -->\n")
	want := "\n**[A page](../guides/a.md#same-1)**\n\n- You cannot fly.\n- you swim: you drown\n\n"
	if got := LimitList("docs/reference/limits.md", p.Limits()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestFigures compares the numbers of the pages with the record of figures.
func TestFigures(t *testing.T) {
	t.Parallel()
	record, _, err := load(top, "docs/records/figures.md")
	if err != nil {
		t.Fatal(err)
	}
	names, err := Pages(top)
	if err != nil {
		t.Fatal(err)
	}
	figures := Figures(record)
	for _, name := range names {
		p, _, err := load(top, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range p.CheckFigures(figures) {
			t.Error(one)
		}
	}
}

func TestFiguresCanFail(t *testing.T) {
	t.Parallel()
	record, _ := Parse("figures.md", "| id | value | unit |\n|---|---|---|\n| P1, P2 | 1,234 | ms | x |\n| R02 | 0 | lost/95053 | x |\n")
	for text, want := range map[string]string{
		"It takes 1,234<!-- figure: P2 --> ms":                                          "",
		"It takes 1234 ms <!-- figure: P1 -->":                                          "",
		"0<!-- figure: R02 --> of 95,053<!-- figure: R02 --> were lost":                 "",
		"It takes 1,235<!-- figure: P1 --> ms":                                          "the page says 1,235",
		"It takes 1,234<!-- figure: P9 --> ms":                                          "has no figure P9",
		"It takes long<!-- figure: P1 -->":                                              "there is no number",
		"1<!-- figure: R02 --> of 95,053<!-- figure: R02 --> were lost, as it was said": "the page says 1,",
	} {
		p, _ := Parse("a.md", text)
		got := fmt.Sprint(p.CheckFigures(Figures(record)))
		if want == "" && got != "[]" || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", text, got, want)
		}
	}
}
