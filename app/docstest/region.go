package docstest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// outputComment begins what an example prints.
var outputComment = regexp.MustCompile(`(?i)^[ \t]*// (unordered )?output:`)

// region returns the text that "FILE" or "FILE#Name" names. A name is that of a
// function, whose body it is without what an example prints, or of the lines
// between the comments "begin Name" and "end Name".
func region(top, from string) (string, error) {
	file, name, named := strings.Cut(from, "#")
	data, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(file)))
	if err != nil {
		return "", fmt.Errorf("there is no file %s", file)
	}
	text := string(data)
	if !named {
		return strings.TrimRight(text, "\n"), nil
	}
	if strings.HasSuffix(file, ".go") {
		if body, ok, err := funcBody(text, name); err != nil || ok {
			return body, err
		}
	}
	begin := regexp.MustCompile(`^\s*(//|#) begin ` + regexp.QuoteMeta(name) + `$`)
	end := regexp.MustCompile(`^\s*(//|#) end ` + regexp.QuoteMeta(name) + `$`)
	var lines []string
	inside := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case begin.MatchString(line):
			inside = true
		case end.MatchString(line) && inside:
			return dedent(lines), nil
		case inside:
			lines = append(lines, line)
		}
	}
	return "", fmt.Errorf("%s has no function and no region %s", file, name)
}

// funcBody returns the body of a function of a Go file.
func funcBody(text, name string) (string, bool, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", text, parser.ParseComments)
	if err != nil {
		return "", false, err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name || fn.Body == nil {
			continue
		}
		body := text[files.Position(fn.Body.Lbrace).Offset+1 : files.Position(fn.Body.Rbrace).Offset]
		var lines []string
		for line := range strings.SplitSeq(strings.Trim(body, "\n"), "\n") {
			if outputComment.MatchString(line) {
				break
			}
			lines = append(lines, line)
		}
		return dedent(lines), true, nil
	}
	return "", false, nil
}

// dedent takes the indent of the first line off all, and blank lines off the ends.
func dedent(lines []string) string {
	text := strings.Trim(strings.Join(lines, "\n"), "\n")
	text = strings.TrimRight(text, " \t\n")
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	all := strings.Split(text, "\n")
	for i, l := range all {
		all[i] = strings.TrimPrefix(l, indent)
	}
	return strings.Join(all, "\n")
}

// CopyIn writes the sources of the page's from comments into the page.
func (p *Page) CopyIn(top string) error {
	lines := p.Lines
	changed := false
	for i := len(p.Blocks) - 1; i >= 0; i-- {
		b := p.Blocks[i]
		if b.From == "" || b.NoTest != "" {
			continue
		}
		text, err := region(top, b.From)
		if err != nil {
			return Problem{p.Name, b.Line - 1, err.Error()}
		}
		if text == strings.Join(b.Text, "\n") {
			continue
		}
		changed = true
		fresh := strings.Split(text, "\n")
		rest := append([]string{}, lines[b.Line-1+len(b.Text):]...)
		lines = append(lines[:b.Line-1:b.Line-1], indented(fresh, b.Indent)...)
		lines = append(lines, rest...)
	}
	if !changed {
		return nil
	}
	text := strings.Join(lines, "\n") + "\n"
	fresh, _ := Parse(p.Name, text)
	*p = *fresh
	return os.WriteFile(filepath.Join(top, filepath.FromSlash(p.Name)), []byte(text), 0o644)
}

func indented(lines []string, indent string) []string {
	all := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			l = indent + l
		}
		all[i] = l
	}
	return all
}
