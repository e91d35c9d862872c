package docstest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Problem is one thing that is wrong, and where.
type Problem struct {
	File string // from the top of the repository
	Line int    // from 1; 0: the whole file
	Text string
}

// Error makes a problem an error.
func (p Problem) Error() string { return p.String() }

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Page is one page of the documentation.
type Page struct {
	Name   string // from the top of the repository, with slashes
	Lines  []string
	Blocks []*Block
	Prose  []string // the lines without blocks and comments
}

// Block is one fenced block.
type Block struct {
	Lang    string
	Test    bool // the word test behind the language
	Line    int  // of its first line of text, from 1
	Indent  string
	Text    []string
	NoTest  string   // the reason of a no-test comment
	From    string   // the source of a from comment
	Options []string // of test comments, in order
}

var (
	fence   = regexp.MustCompile("^( *)(`{3,}|~{3,})(.*)$")
	comment = regexp.MustCompile(`^ *<!-- *(test|no-test|from):? +(.*?) *-->$`)
)

// Parse reads a page.
func Parse(name, text string) (*Page, []Problem) {
	p := &Page{Name: name, Lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	p.Prose = make([]string, len(p.Lines))
	var problems []Problem
	wrong := func(i int, format string, args ...any) {
		problems = append(problems, Problem{name, i + 1, fmt.Sprintf(format, args...)})
	}
	next := &Block{} // what the comments before a block say of it
	inComment, set := false, false
	for i := 0; i < len(p.Lines); i++ {
		line := p.Lines[i]
		if m := fence.FindStringSubmatch(line); m != nil && !inComment {
			b := next
			next, set = &Block{}, false
			words := strings.Fields(m[3])
			if len(words) > 0 {
				b.Lang = words[0]
			}
			b.Test = len(words) == 2 && words[1] == "test"
			if len(words) > 2 || len(words) == 2 && !b.Test {
				wrong(i, "a block begins with a language and at most the word test, not %q", m[3])
			}
			b.Indent, b.Line = m[1], i+2
			end := i + 1
			for end < len(p.Lines) && strings.TrimSpace(p.Lines[end]) != m[2] {
				b.Text = append(b.Text, strings.TrimPrefix(p.Lines[end], b.Indent))
				end++
			}
			if end == len(p.Lines) {
				wrong(i, "the block does not end")
			}
			p.Blocks = append(p.Blocks, b)
			i = end
			continue
		}
		if m := comment.FindStringSubmatch(line); m != nil {
			set = true
			switch m[1] {
			case "no-test":
				next.NoTest = m[2]
			case "from":
				next.From = m[2]
			case "test":
				for o := range strings.SplitSeq(m[2], ";") {
					next.Options = append(next.Options, strings.TrimSpace(o))
				}
			}
			continue
		}
		if set {
			wrong(i, "a test, no-test or from comment stands directly before a block")
			next, set = &Block{}, false
		}
		p.Prose[i], inComment = uncommented(line, inComment)
	}
	if set {
		wrong(len(p.Lines)-1, "a test, no-test or from comment stands directly before a block")
	}
	return p, problems
}

// uncommented returns a line without its comments, and whether it ends inside one.
func uncommented(line string, inside bool) (string, bool) {
	var b strings.Builder
	for line != "" {
		mark := "<!--"
		if inside {
			mark = "-->"
		}
		text, rest, found := strings.Cut(line, mark)
		if !inside {
			b.WriteString(text)
		}
		if found {
			inside = !inside
		}
		line = rest
	}
	return b.String(), inside
}

// Pages returns the names of the pages below the top of the repository, sorted.
func Pages(top string) ([]string, error) {
	names := []string{"CONTRIBUTING.md", "README.md", "SECURITY.md"}
	err := filepath.WalkDir(filepath.Join(top, "docs"), func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, name)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && rel == "docs/records" {
			return filepath.SkipDir
		}
		if path.Ext(rel) == ".md" {
			names = append(names, rel)
		}
		return err
	})
	return names, err
}

// load reads a page of the repository.
func load(top, name string) (*Page, []Problem, error) {
	text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		return nil, nil, err
	}
	p, problems := Parse(name, string(text))
	return p, problems, nil
}
