package sayso

import (
	"strings"
	"unicode/utf8"
)

// Limits of what an approval shows. What is larger than an ask should be is stored
// beside it, and read page by page.
const (
	MaxContent = 8 << 20  // bytes of everything that an approval shows
	PageSize   = 64 << 10 // bytes of a page, at most

	inlineEach = 16 << 10 // bytes of a content that is part of the ask
	inlineAll  = 40 << 10 // and of all of them
	headBytes  = 600      // shown of a content that is not part of the ask
	tailBytes  = 300
	maxParts   = 60
)

// Content is text, named by its hash. A small one is part of the ask. A large one is
// stored beside it: then Stored is set, the ask has its beginning and its end, and
// [Ask.WithContent] puts the whole of it back.
type Content struct {
	SHA256 string `json:"sha256"` // of the bytes, in hex
	Size   int    `json:"size"`   // in bytes
	Lines  int    `json:"lines"`
	Stored bool   `json:"stored,omitempty"` // it is too large to be a part of the ask
	Text   string `json:"text,omitempty"`   // the whole of it, unless it is stored elsewhere
	Head   string `json:"head,omitempty"`   // of a stored content
	Tail   string `json:"tail,omitempty"`
}

// NewContent returns the content of a text.
func NewContent(text string) Content {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return Content{SHA256: hashOf(text), Size: len(text), Lines: n, Text: text}
}

// Whole reports whether the text is here.
func (c *Content) Whole() bool { return len(c.Text) == c.Size }

// Pages returns the text in pages, each a valid text if the whole is one.
func (c *Content) Pages() []string {
	var pages []string
	for rest := c.Text; rest != ""; {
		n := cutBefore(rest, PageSize)
		pages = append(pages, rest[:n])
		rest = rest[n:]
	}
	return pages
}

// cutBefore returns where to cut a text so that the first part has n bytes at most
// and no character is cut in two.
func cutBefore(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for at := n; at > n-utf8.UTFMax; at-- {
		if utf8.RuneStart(s[at]) {
			return at
		}
	}
	return n // it is no UTF-8
}

// store makes the content one that is stored beside the ask.
func (c *Content) store() {
	if c.Stored {
		return
	}
	c.Stored = true
	c.Head = c.Text[:cutBefore(c.Text, headBytes)]
	from := max(0, len(c.Text)-tailBytes)
	for from < len(c.Text) && !utf8.RuneStart(c.Text[from]) {
		from++
	}
	c.Tail = c.Text[from:]
}

// Contents returns everything that the approval consists of: what is shown, and the
// input.
func (a *Approval) Contents() []*Content {
	list := make([]*Content, 0, len(a.Shown)+1)
	for i := range a.Shown {
		list = append(list, &a.Shown[i].Content)
	}
	return append(list, &a.Input)
}

// place decides what is a part of the ask and what is stored beside it. It depends
// on nothing but the sizes, so that everybody decides the same.
func (a *Approval) place() {
	room := inlineAll
	for _, c := range a.Contents() {
		if c.Stored || c.Size > inlineEach || c.Size > room {
			if c.Whole() {
				c.store()
			}
			continue
		}
		room -= c.Size
	}
}

// Unseen returns the contents that a surface has to open before a person can have
// seen everything, and their size in bytes.
func (a *Approval) Unseen() (hashes []string, bytes int) {
	for i := range a.Shown {
		if c := &a.Shown[i].Content; c.Stored {
			hashes = append(hashes, c.SHA256)
			bytes += c.Size
		}
	}
	return hashes, bytes
}
