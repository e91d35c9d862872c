package web

import (
	"bytes"
	"html/template"
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown turns an asker's Markdown into HTML that can do nothing but be read:
// raw HTML is dropped, and a picture, whose address could carry data away, is
// said to have been removed.
func markdown(s string) template.HTML {
	if s == "" {
		return ""
	}
	var b bytes.Buffer
	if err := converter().Convert([]byte(s), &b); err != nil {
		return template.HTML(template.HTMLEscapeString(s))
	}
	return template.HTML(policy().SanitizeBytes(b.Bytes()))
}

func converter() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(inert{}, 100))),
	)
}

func policy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "strong", "em", "del", "code", "pre", "ul", "ol", "li", "blockquote", "hr",
		"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(target|removed)$`)).OnElements("span")
	p.AllowURLSchemes("https", "http", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoReferrerOnLinks(true)
	p.RequireNoFollowOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// inert takes pictures out, writes the target of a link behind it, and moves
// headings below those of the page.
type inert struct{}

func (inert) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	var images, links []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			images = append(images, n)
		case *ast.Link:
			links = append(links, n)
		case *ast.Heading:
			n.Level = min(n.Level+2, 6)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range images {
		n.Parent().ReplaceChild(n.Parent(), n, ast.NewString([]byte("[image removed]")))
	}
	for _, n := range links {
		target := ast.NewString([]byte(" <" + string(n.(*ast.Link).Destination) + ">"))
		n.Parent().InsertAfter(n.Parent(), n, target)
	}
}
