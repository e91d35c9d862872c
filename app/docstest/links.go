package docstest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

var (
	inlineLink = regexp.MustCompile(`\]\(<?([^()\s>]+)>?(?: "[^"]*")?\)`)
	linkTarget = regexp.MustCompile(`^ *\[[^\]]+\]: +(\S+)`)
	htmlLink   = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	htmlAnchor = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	codeSpan   = regexp.MustCompile("`[^`]*`")
	heading    = regexp.MustCompile(`^#{1,6} +(.*?)(?: +#+)?$`)
	linkText   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	external   = regexp.MustCompile(`^(https?|mailto):`)
	lineNumber = regexp.MustCompile(`^L\d+(-L\d+)?$`)
	ownPage    = regexp.MustCompile(`^https://github\.com/saysohq/sayso/(?:blob|tree)/main/`)
)

// Link is a link of a page to something in the repository.
type Link struct {
	Line   int
	Text   string // as it is written
	Path   string // from the top of the repository
	Anchor string
}

// Links returns the links of a page that lead into the repository, whether by a
// path or by their address on the web.
func (p *Page) Links() []Link {
	var all []Link
	for i, line := range p.Prose {
		line = codeSpan.ReplaceAllString(line, "")
		var found [][]string
		for _, re := range []*regexp.Regexp{inlineLink, linkTarget, htmlLink} {
			found = append(found, re.FindAllStringSubmatch(line, -1)...)
		}
		for _, m := range found {
			target, anchor, _ := strings.Cut(m[1], "#")
			if own := ownPage.FindString(target); own != "" {
				target = strings.TrimPrefix(target, own)
			} else if external.MatchString(target) {
				continue
			} else if target == "" {
				target = p.Name
			} else {
				target = path.Join(path.Dir(p.Name), target)
			}
			all = append(all, Link{i + 1, m[1], target, anchor})
		}
	}
	return all
}

// Anchors returns the anchors of a page, by the rule of GitHub: the heading in
// lower case without punctuation, with dashes for spaces, and a number behind one
// that was there before.
func (p *Page) Anchors() map[string]bool {
	all := map[string]bool{}
	for _, line := range p.Prose {
		for _, m := range htmlAnchor.FindAllStringSubmatch(line, -1) {
			all[m[1]] = true
		}
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
				return unicode.ToLower(r)
			}
			return -1
		}, linkText.ReplaceAllString(m[1], "$1"))
		anchor := slug
		for n := 1; all[anchor]; n++ {
			anchor = fmt.Sprintf("%s-%d", slug, n)
		}
		all[anchor] = true
	}
	return all
}

// CheckLinks returns the links of the pages that lead nowhere.
func CheckLinks(top string, pages map[string]*Page) (problems []Problem, links int) {
	for _, p := range pages {
		for _, l := range p.Links() {
			links++
			wrong := func(format string, args ...any) {
				problems = append(problems, Problem{p.Name, l.Line, fmt.Sprintf("the link to %s ", l.Text) + fmt.Sprintf(format, args...)})
			}
			info, err := os.Stat(filepath.Join(top, filepath.FromSlash(l.Path)))
			switch target := pages[pageOf(l.Path, pages)]; {
			case err != nil && target == nil:
				wrong("leads to no file: %s", l.Path)
			case l.Anchor == "":
			case target != nil && !target.Anchors()[l.Anchor]:
				wrong("leads to no heading of %s", target.Name)
			case target == nil && (info.IsDir() || !lineNumber.MatchString(l.Anchor)):
				wrong("has an anchor, but %s is no page", l.Path)
			}
		}
	}
	return problems, links
}

// pageOf returns the page that a path shows: a folder shows its README.md.
func pageOf(name string, pages map[string]*Page) string {
	if readme := path.Join(name, "README.md"); pages[readme] != nil {
		return readme
	}
	return name
}

// Reach returns how many clicks away from a page the others are.
func Reach(from string, pages map[string]*Page) map[string]int {
	clicks := map[string]int{from: 0}
	for next := []string{from}; len(next) > 0; {
		p := pages[next[0]]
		next = next[1:]
		if p == nil {
			continue
		}
		for _, l := range p.Links() {
			to := pageOf(l.Path, pages)
			if _, ok := clicks[to]; !ok {
				clicks[to] = clicks[p.Name] + 1
				next = append(next, to)
			}
		}
	}
	return clicks
}
