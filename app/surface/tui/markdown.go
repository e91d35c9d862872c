package tui

import (
	"bytes"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/saysohq/sayso"
)

// maxNesting is how deep quotes and lists are drawn as such. Deeper ones are
// shown as they were written.
const maxNesting = 6

// markdown draws Markdown of the asker in w columns. Links show where they lead,
// pictures are named and not fetched, HTML is text.
func (m *Model) markdown(source string, w int) []string {
	key := rendering{source, w, true}
	if lines, ok := m.rendered[key]; ok {
		return lines
	}
	lines := m.drawMarkdown(source, w)
	m.rendered[key] = lines
	return lines
}

// rendering names what was drawn before: parsing at every key would be felt.
type rendering struct {
	source   string
	width    int
	markdown bool
}

func (m *Model) drawMarkdown(source string, w int) []string {
	if sayso.HeavyMarkdown(source) {
		return hardwrap(source, w)
	}
	d := drawing{look: m.look, words: m.o.Words, source: []byte(source)}
	doc := d.parse(true)
	if d.hidesCells(doc) {
		doc = d.parse(false)
	}
	lines := d.blocks(doc, w, 0)
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// parse knows only the blocks and inlines of CommonMark, and tables: nothing that this
// file does not know how to draw. Tasks stay [x] and [ ], which every terminal has.
func (d *drawing) parse(tables bool) ast.Node {
	paragraphs, trees := parser.DefaultParagraphTransformers(), []util.PrioritizedValue(nil)
	if tables {
		paragraphs = append(paragraphs, util.Prioritized(extension.NewTableParagraphTransformer(), 200))
		trees = append(trees, util.Prioritized(extension.NewTableASTTransformer(), 0))
	}
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(paragraphs...),
		parser.WithASTTransformers(trees...),
	)
	return p.Parse(text.NewReader(d.source))
}

type drawing struct {
	look   look
	words  *Catalogue
	source []byte
}

// blocks draws the children of a node, with an empty line between them.
func (d *drawing) blocks(n ast.Node, w, depth int) []string {
	var lines []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.PreviousSibling() != nil && !tight(n) {
			lines = append(lines, "")
		}
		lines = append(lines, d.block(c, w, depth)...)
	}
	return lines
}

// tight reports whether what n holds stands without empty lines between.
func tight(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.List:
		return n.IsTight
	case *ast.ListItem:
		return tight(n.Parent())
	}
	return false
}

func (d *drawing) block(n ast.Node, w, depth int) []string {
	if depth > maxNesting || w < 8 {
		return hardwrap(d.plain(n), w)
	}
	switch n := n.(type) {
	case *ast.Heading:
		return wrap(d.inline(n, d.look.accent), w)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		code := strings.TrimRight(string(n.Lines().Value(d.source)), "\n")
		lines := hardwrap(code, w-2)
		for i := range lines {
			lines[i] = "  " + d.look.code.Render(lines[i])
		}
		return lines
	case *ast.HTMLBlock:
		html := n.Lines().Value(d.source)
		if n.HasClosure() {
			html = append(bytes.Clone(html), n.ClosureLine.Value(d.source)...)
		}
		return hardwrap(strings.TrimRight(string(html), "\n"), w)
	case *extast.Table:
		return d.table(n, w)
	case *ast.ThematicBreak:
		return []string{d.look.dim.Render(strings.Repeat("─", min(w, 24)))}
	case *ast.Blockquote:
		return prefix(d.look.dim.Render("┆ "), d.blocks(n, w-2, depth+1))
	case *ast.List:
		return d.blocks(n, w, depth+1)
	case *ast.ListItem:
		mark := "• "
		if l := n.Parent().(*ast.List); l.IsOrdered() {
			at := l.Start
			for p := n.PreviousSibling(); p != nil; p = p.PreviousSibling() {
				at++
			}
			mark = strconv.Itoa(at) + ". "
		}
		return indent(d.look.dim.Render(mark), d.blocks(n, w-len([]rune(mark)), depth))
	}
	if n.Type() == ast.TypeBlock && n.FirstChild() != nil {
		return wrap(d.inline(n, d.look.plain), w)
	}
	return nil
}

// plain returns what a block was written as.
func (d *drawing) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && c.Type() == ast.TypeBlock && c.Lines() != nil {
			b.Write(c.Lines().Value(d.source))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimRight(b.String(), "\n")
}

// inline draws the text in a block.
func (d *drawing) inline(n ast.Node, style lipgloss.Style) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.WriteString(style.Render(d.literal(c.Segment.Value(d.source))))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte('\n') // agents break lines where they mean it
			}
		case *ast.String:
			b.WriteString(style.Render(d.literal(c.Value)))
		case *ast.CodeSpan:
			b.WriteString(d.look.code.Render(d.raw(c)))
		case *ast.Emphasis:
			inner := style.Italic(true)
			if c.Level > 1 {
				inner = style.Bold(true)
			}
			b.WriteString(d.inline(c, inner))
		case *ast.Link:
			b.WriteString(d.inline(c, style.Underline(true)))
			b.WriteString(d.look.dim.Render(" <" + d.literal(c.Destination) + ">"))
		case *ast.AutoLink:
			b.WriteString(d.look.dim.Render(d.literal(c.URL(d.source))))
		case *ast.Image:
			b.WriteString(d.look.dim.Render(d.words.say(d.words.ImageRemoved, d.raw(c))))
		case *ast.RawHTML:
			b.WriteString(style.Render(string(c.Segments.Value(d.source))))
		default:
			b.WriteString(d.inline(c, style))
		}
	}
	return b.String()
}

// raw returns the text of an inline node without any style.
func (d *drawing) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(d.source))
			if c.SoftLineBreak() {
				b.WriteByte(' ')
			}
		default:
			b.WriteString(d.raw(c))
		}
	}
	return b.String()
}

// literal takes escapes and entities for what they stand for, which may be what
// was cleaned out of the text before.
func (d *drawing) literal(s []byte) string {
	s = util.UnescapePunctuations(s)
	s = util.ResolveNumericReferences(s)
	s = util.ResolveEntityNames(s)
	return sayso.SafeLine(string(s))
}
