package docstest

import (
	"fmt"
	"go/scanner"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// banned are words that only people who work on this repository would understand,
// and what to write instead.
var banned = []struct {
	word    *regexp.Regexp
	instead string
}{
	{words(`waiting rooms?`), "hub"},
	{words(`houses?`), "project or repository"},
	{words(`rooms?`), "package"},
	{words(`floors?`), "layer"},
	{words(`laws?`), "rule"},
	{words(`doors?`), "integration; protocol adapter for contributors"},
	{words(`spell(s|ed|ing|ings|er|ers)?`), "format, encode, encoder, or \"as Claude Code defines it\""},
	{words(`(un)?fold(s|ed|ing)?`), "close, collapse"},
	{words(`bells?`), "notification, wake-up"},
	{words(`bubbles?`), "in-memory test hub"},
	{words(`deaf`), "reader gone"},
	{words(`owed`), "undelivered"},
	{words(`ladders?|rungs?`), "strategy"},
	{words(`seeds? \d`), "nothing, or a link to docs/records/original-designs.md"},
	{words(`part \d`), "nothing"},
	{words(`consumed`), "delivered"},
	{words(`engines?`), "storage"},
	{words(`(its|their|an agent's) person('s)?`), "you, or the person answering"},
	{words(`whoever|who may`), "anyone, users"},
	{words(`patience`), "timeout"},
	{words(`bears?`), "accept"},
	{words(`signs? of life`), "progress notifications"},
	{words(`at rest`), "idle"},
	{words(`asleep`), "suspended"},
	{words(`wakes? up`), "resumes"},
	{words(`own words`), "\"in your own words\"; free text in reference pages"},
	{words(`simply|honestly|said plainly`), "nothing"},
}

// theReader are words for the reader of a user's page, who is "you" there. In
// reference pages the person answering is somebody else.
var theReader = words(`the person('s)?`)

// userPage is a page for people who answer.
var userPage = regexp.MustCompile(`^(README|SECURITY|docs/README|docs/(start|guides|integrations|explanation)/[a-z-]+)\.md$`)

// fine are phrases in which such a word has its ordinary meaning.
var fine = []*regexp.Regexp{
	words(`(your|my) own words`),
	regexp.MustCompile(`\*\*Own words…?\*\*`), // the label of a button
	words(`Bubble Tea`),
	words(`encrypt(ed|ion|s)? at rest`),
	words(`docker engine|container engines?`),
	words(`terminal bell|auto\\?\|bell\\?\|off`),
}

func words(text string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(` + text + `)\b`) }

// bareID is the name of a test, a figure or a case, which means nothing without a
// link to docs/records.
var bareID = regexp.MustCompile(`\b([SR]\d\d|P\d+[A-Z]*(-[\w-]+)?|[LTWB]\d)\b`)

// Vocabulary returns the banned words of a text, by line.
func Vocabulary(name string, lines []string) (problems []Problem) {
	for i, line := range lines {
		for _, f := range fine {
			line = f.ReplaceAllString(line, "")
		}
		for _, b := range banned {
			for _, found := range b.word.FindAllString(line, -1) {
				problems = append(problems, Problem{name, i + 1, fmt.Sprintf("%q: write %s", found, b.instead)})
			}
			line = b.word.ReplaceAllString(line, "")
		}
		if userPage.MatchString(name) {
			for _, found := range theReader.FindAllString(line, -1) {
				problems = append(problems, Problem{name, i + 1, fmt.Sprintf("%q: write you", found)})
			}
		}
	}
	return problems
}

// said returns the lines of a page as people read them: without code, and links
// without where they lead.
func (p *Page) said() []string {
	all := make([]string, len(p.Prose))
	for i, line := range p.Prose {
		all[i] = linkText.ReplaceAllString(codeSpan.ReplaceAllString(line, ""), "$1")
	}
	return all
}

// BareIDs returns the ids of a page that are not links.
func (p *Page) BareIDs() (problems []Problem) {
	for i, line := range p.Prose {
		line = linkText.ReplaceAllString(codeSpan.ReplaceAllString(line, ""), "")
		for _, id := range bareID.FindAllString(line, -1) {
			problems = append(problems, Problem{p.Name, i + 1, fmt.Sprintf("%q means nothing to a user: link it to docs/records, or leave it out", id)})
		}
	}
	return problems
}

// literals returns the texts in the string literals of a Go file, by line.
func literals(src []byte) []string {
	lines := make([]string, strings.Count(string(src), "\n")+1)
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(src))
	s.Init(file, src, nil, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.STRING {
			text, err := strconv.Unquote(lit)
			if err == nil && strings.Contains(text, " ") { // others are names and paths
				lines[files.Position(pos).Line-1] += text + "\n"
			}
		}
	}
}

var (
	templateAction = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	tag            = regexp.MustCompile(`(?s)<[^>]*>`)
	shownAttribute = regexp.MustCompile(`(?:title|alt|placeholder|aria-label)="([^"]*)"`)
)

// shown returns what people read of an HTML template, by line.
func shown(text string) []string {
	keep := func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }
	text = templateAction.ReplaceAllStringFunc(text, keep)
	text = tag.ReplaceAllStringFunc(text, func(s string) string {
		attributes := ""
		for _, m := range shownAttribute.FindAllStringSubmatch(s, -1) {
			attributes += " " + m[1] + " "
		}
		return attributes + keep(s)
	})
	return strings.Split(text, "\n")
}
