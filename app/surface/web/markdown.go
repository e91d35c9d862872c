package web

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/words"
)

// text is an asker's text as it is shown.
type text struct {
	HTML   template.HTML
	Source string // the text as it was sent, where HTML does not have all of it
}

// shown turns an asker's Markdown into HTML that can do nothing but be read. Raw
// HTML is shown as the text that it is; a picture, whose address could carry data
// away, as its address. What Markdown hides all the same, such as the definitions of
// links, can be seen in the source.
//
// A text with very many marks is shown as it was sent.
func (rd *reader) shown(s string) text {
	if s == "" {
		return text{}
	}
	if sayso.HeavyMarkdown(s) {
		return text{HTML: template.HTML("<pre>" + template.HTMLEscapeString(s) + "</pre>")}
	}
	var b bytes.Buffer
	if err := converter(rd.Catalogue).Convert([]byte(s), &b); err != nil {
		return text{HTML: template.HTML(template.HTMLEscapeString(s))}
	}
	t := text{HTML: template.HTML(policy().SanitizeBytes(b.Bytes()))}
	if letters(boxes.Replace(plain(string(t.HTML)))) != letters(boxes.Replace(s)) {
		t.Source = s
	}
	return t
}

// plain is the text of a piece of HTML.
func plain(s string) string {
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(z.Text())
		}
	}
}

// letters is a text without the marks of Markdown, to find out whether the rest of it
// is shown.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n#*-_`~|:<>[]()\\", r) {
			return -1
		}
		return r
	}, numbers.ReplaceAllString(s, ""))
}

// numbers are those of a list, which the browser writes.
var numbers = regexp.MustCompile(`(?m)^\s*\d{1,9}[.)]\s`)

// boxes turns the boxes of task lists back into what was written.
var boxes = strings.NewReplacer(ticked, "x", unticked, "")

// converter reads Markdown as GitHub does.
func converter(w *words.Catalogue) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
		goldmark.WithParserOptions(
			parser.WithInlineParsers(util.Prioritized(extension.NewTaskCheckBoxParser(), 0)),
			parser.WithASTTransformers(util.Prioritized(inert{w}, 100)),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(drawer{w}, 100))),
	)
}

func policy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "strong", "em", "del", "code", "pre", "ul", "ol", "li", "blockquote", "hr",
		"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(target|removed|task)$`)).OnElements("span")
	p.AllowAttrs("role").Matching(regexp.MustCompile(`^img$`)).OnElements("span")
	p.AllowAttrs("aria-label").OnElements("span", "div")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^wide$`)).OnElements("div")
	p.AllowAttrs("role").Matching(regexp.MustCompile(`^group$`)).OnElements("div")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("div")
	p.AllowAttrs("dir").Matching(regexp.MustCompile(`^auto$`)).OnElements("p", "ul", "ol", "li", "blockquote", "h3", "h4", "h5", "h6", "th", "td")
	p.AllowURLSchemes("https", "http", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoReferrerOnLinks(true)
	p.RequireNoFollowOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// inert shows pictures and raw HTML as text, writes the target of a link behind it,
// moves headings below those of the page, and lets every block have the direction of
// its own text.
type inert struct{ words *words.Catalogue }

func (in inert) Transform(doc *ast.Document, reader gmtext.Reader, _ parser.Context) {
	source := reader.Source()
	var replaced []struct{ old, new ast.Node }
	replace := func(old, new ast.Node) { replaced = append(replaced, struct{ old, new ast.Node }{old, new}) }
	var links []*ast.Link
	var tables []*extast.Table
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			var alt strings.Builder
			_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
				if t, ok := c.(*ast.Text); ok && entering {
					alt.Write(t.Value(source))
				}
				return ast.WalkContinue, nil
			})
			replace(n, ast.NewString([]byte(in.words.Say(in.words.ImageRemoved, alt.String()+" <"+string(n.Destination)+">"))))
			return ast.WalkSkipChildren, nil
		case *ast.RawHTML:
			replace(n, ast.NewString(n.Segments.Value(source)))
		case *ast.HTMLBlock:
			p := ast.NewCodeBlock()
			p.SetLines(n.Lines())
			if n.HasClosure() {
				p.Lines().Append(n.ClosureLine)
			}
			replace(n, p)
		case *ast.Link:
			links = append(links, n)
		case *ast.Heading:
			n.Level = min(n.Level+2, 6)
			n.SetAttributeString("dir", []byte("auto"))
		case *ast.Paragraph, *ast.List, *ast.ListItem, *ast.Blockquote, *extast.TableCell:
			n.SetAttributeString("dir", []byte("auto"))
		case *extast.Table:
			tables = append(tables, n)
		}
		return ast.WalkContinue, nil
	})
	for _, r := range replaced {
		r.old.Parent().ReplaceChild(r.old.Parent(), r.old, r.new)
	}
	for _, n := range tables {
		box := &scrolled{}
		n.Parent().ReplaceChild(n.Parent(), n, box)
		box.AppendChild(box, n)
	}
	for _, n := range links {
		n.Parent().InsertAfter(n.Parent(), n, ast.NewString([]byte(" <"+string(n.Destination)+">")))
	}
}
