package docstest

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Replace returns the text of a page with another body in its part, which begins
// with a comment that begins with name and ends with <!-- end -->.
func (p *Page) Replace(name, body string) (string, error) {
	begin := slices.IndexFunc(p.Lines, func(l string) bool {
		return l == "<!-- "+name+" -->" || strings.HasPrefix(l, "<!-- "+name+": ")
	})
	if begin < 0 {
		return "", fmt.Errorf("%s has no part %q", p.Name, name)
	}
	n := slices.IndexFunc(p.Lines[begin:], endPart.MatchString)
	if n < 0 {
		return "", fmt.Errorf("%s: the part %q has no end", p.Name, name)
	}
	lines := append(slices.Clone(p.Lines[:begin+1]), strings.Split(strings.TrimSuffix(body, "\n"), "\n")...)
	return strings.Join(append(lines, p.Lines[begin+n:]...), "\n") + "\n", nil
}

var (
	limitMark  = regexp.MustCompile(` *<!-- limit: ([a-z0-9-]+) -->`)
	anyComment = regexp.MustCompile(` *<!--.*?-->`)
	bullet     = regexp.MustCompile(`^ *([-*]|\d+\.) +`)
)

// Limit is a limit of the product, where people meet it.
type Limit struct {
	ID, Text string
	Page     *Page
	Line     int
	Anchor   string // of the heading above it
}

// Limits returns the limits that a page marks.
func (p *Page) Limits() (all []Limit) {
	anchor := ""
	before := map[string]bool{}
	for i, line := range p.Lines {
		if p.Prose[i] != "" && heading.MatchString(line) {
			part := &Page{Name: p.Name, Lines: p.Lines[:i+1], Prose: p.Prose[:i+1]}
			for a := range part.Anchors() {
				if !before[a] {
					before[a], anchor = true, a
				}
			}
		}
		for _, m := range limitMark.FindAllStringSubmatch(line, -1) {
			text := bullet.ReplaceAllString(anyComment.ReplaceAllString(line, ""), "")
			if cells, ok := strings.CutPrefix(text, "|"); ok {
				text = strings.Join(strings.Split(strings.Trim(cells, "| "), " | "), ": ")
			}
			all = append(all, Limit{m[1], strings.TrimSpace(linkText.ReplaceAllString(text, "$1")), p, i + 1, anchor})
		}
	}
	return all
}

// LimitList returns the limits by page, as the page at name shows them.
func LimitList(name string, limits []Limit) string {
	var b strings.Builder
	var last *Page
	for _, l := range limits {
		if l.Page != last {
			last = l.Page
			to, err := filepath.Rel(filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(l.Page.Name))
			if err != nil {
				to = l.Page.Name
			}
			to = filepath.ToSlash(to)
			if l.Anchor != "" {
				to += "#" + l.Anchor
			}
			fmt.Fprintf(&b, "\n**[%s](%s)**\n\n", l.Page.Title(), to)
		}
		fmt.Fprintf(&b, "- %s\n", l.Text)
	}
	return b.String() + "\n"
}

// Title returns the heading of a page.
func (p *Page) Title() string {
	for _, line := range p.Prose {
		if m := heading.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return path.Base(p.Name)
}

var (
	figureMark = regexp.MustCompile(`<!-- figure: ([A-Z][A-Za-z0-9-]*) -->`)
	shownValue = regexp.MustCompile(`(\d[\d,]*(?:\.\d+)?)(?: ?[^\s\d<]+)?\s*$`)
	number     = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)
)

// Figures reads the table of figures: the numbers of each id, without commas.
func Figures(p *Page) map[string][]string {
	all := map[string][]string{}
	for _, line := range p.Prose {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "|") || len(cells) < 3 {
			continue
		}
		for id := range strings.SplitSeq(cells[0], ",") {
			id = strings.TrimSpace(id)
			for _, n := range number.FindAllString(cells[1]+" "+cells[2], -1) {
				all[id] = append(all[id], strings.ReplaceAll(n, ",", ""))
			}
		}
	}
	return all
}

// CheckFigures compares the numbers before the figure marks of a page with the
// table.
func (p *Page) CheckFigures(figures map[string][]string) (problems []Problem) {
	for i, line := range p.Lines {
		for _, m := range figureMark.FindAllStringSubmatchIndex(line, -1) {
			id := line[m[2]:m[3]]
			found := shownValue.FindStringSubmatch(anyComment.ReplaceAllString(line[:m[0]], ""))
			values, ok := figures[id]
			switch {
			case !ok:
				problems = append(problems, Problem{p.Name, i + 1, fmt.Sprintf("docs/records/figures.md has no figure %s", id)})
			case found == nil:
				problems = append(problems, Problem{p.Name, i + 1, fmt.Sprintf("there is no number before the mark of figure %s", id)})
			case !slices.Contains(values, strings.ReplaceAll(found[1], ",", "")):
				problems = append(problems, Problem{p.Name, i + 1, fmt.Sprintf("the page says %s, docs/records/figures.md has %s for %s", found[1], strings.Join(values, " and "), id)})
			}
		}
	}
	return problems
}
