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
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"

	"github.com/saysohq/sayso"
)

// text is an asker's text as it is shown.
type text struct {
	HTML   template.HTML
	Source string // the text as it was sent, where HTML does not have all of it
}

// markdown turns an asker's Markdown into HTML that can do nothing but be read. Raw
// HTML is shown as the text that it is; a picture, whose address could carry data
// away, as its address. What Markdown hides all the same, such as the definitions of
// links, can be seen in the source.
//
// A text with very many marks is shown as it was sent.
func markdown(s string) text {
	if s == "" {
		return text{}
	}
	if sayso.HeavyMarkdown(s) {
		return text{HTML: template.HTML("<pre>" + template.HTMLEscapeString(s) + "</pre>")}
	}
	var b bytes.Buffer
	if err := converter().Convert([]byte(s), &b); err != nil {
		return text{HTML: template.HTML(template.HTMLEscapeString(s))}
	}
	t := text{HTML: template.HTML(policy().SanitizeBytes(b.Bytes()))}
	if letters(plain(string(t.HTML))) != letters(s) {
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

// converter reads Markdown as GitHub does, except that task lists stay text: a box
// that is not ticked must not look like one that is.
func converter() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(inert{}, 100))),
	)
}

func policy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "strong", "em", "del", "code", "pre", "ul", "ol", "li", "blockquote", "hr",
		"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(target|removed)$`)).OnElements("span")
	p.AllowURLSchemes("https", "http", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoReferrerOnLinks(true)
	p.RequireNoFollowOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// inert shows pictures and raw HTML as text, writes the target of a link behind it,
// and moves headings below those of the page.
type inert struct{}

func (inert) Transform(doc *ast.Document, reader gmtext.Reader, _ parser.Context) {
	source := reader.Source()
	var replaced []struct{ old, new ast.Node }
	replace := func(old, new ast.Node) { replaced = append(replaced, struct{ old, new ast.Node }{old, new}) }
	var links []*ast.Link
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
			replace(n, ast.NewString([]byte("[image removed: "+alt.String()+" <"+string(n.Destination)+">]")))
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
		}
		return ast.WalkContinue, nil
	})
	for _, r := range replaced {
		r.old.Parent().ReplaceChild(r.old.Parent(), r.old, r.new)
	}
	for _, n := range links {
		n.Parent().InsertAfter(n.Parent(), n, ast.NewString([]byte(" <"+string(n.Destination)+">")))
	}
}
