package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func TestMarkdown(t *testing.T) {
	m := New(one(databases()), nil)
	for _, c := range []struct{ name, source, want string }{
		{"paragraphs", "one\ntwo\n\nthree", "one\ntwo\n\nthree"},
		{"emphasis", "a **bold** and *slanted* `code *x*`", "a bold and slanted code *x*"},
		{"heading", "# Plan\n\ntext", "Plan\n\ntext"},
		{"tight list", "- one\n- two\n  - deep\n", "• one\n• two\n  • deep"},
		{"numbered list", "3. three\n4. four", "3. three\n4. four"},
		{"loose list", "- one\n\n- two", "• one\n\n• two"},
		{"code", "```go\nif x {\n    y()\n}\n```", "  if x {\n      y()\n  }"},
		{"quote", "> said\n> so", "┆ said\n┆ so"},
		{"link", "[here](https://example.org/a)", "here <https://example.org/a>"},
		{"bare link", "<https://example.org>", "https://example.org"},
		{"script link", "[click](javascript:alert(1))", "click <javascript:alert(1)>"},
		{"picture", "![a chart](https://evil.example/x.png)", "[image removed: a chart]"},
		{"html", "<script>alert(1)</script>", "<script>alert(1)</script>"},
		{"inline html", "a <b>c</b>", "a <b>c</b>"},
		{"table", "| name | n |\n|---|--:|\n| one | 1 |\n| eleven | 11 |", "name     n\n──────────\none      1\neleven  11"},
		{"short rows", "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 |", "a  b\n────\n1\n1  2"},
		{"a cell too many", "| a | b |\n|---|---|\n| 1 | 2 | rm -rf |", "| a | b |\n|---|---|\n| 1 | 2 | rm -rf |"},
		{"a cell too many behind empty ones", "| a | b |\n|---|---|\n| | | rm -rf |", "| a | b |\n|---|---|\n| | | rm -rf |"},
		{"a cell too many in a list", "- | a | b |\n  |---|---|\n  | 1 | 2 | rm -rf |", "• | a | b |\n  |---|---|\n  | 1 | 2 | rm -rf |"},
		{"a table in a list stays text", "- | a | b |\n  |---|---|\n  | 1 | 2 |", "• | a | b |\n  |---|---|\n  | 1 | 2 |"},
		{"a table in a quote", "> | a | b |\n> |---|---|\n> | 1 | 2 |", "┆ a  b\n┆ ────\n┆ 1  2"},
		{"cells", "| **a** | `b\\|c` |\n|---|---|\n| [x](https://e.example) | ![p](q) &#27;[2J |", "a                      b|c\n──────────────────────────────────────────────\nx <https://e.example>  [image removed: p] ␛[2J"},
		{"wide table", "| what it is | where |\n|---|---|\n| " + strings.Repeat("word ", 9) + "| " + strings.Repeat("x", 50) + " |\n| b | c |",
			"what it is: word word word word word word word word word\nwhere: " + strings.Repeat("x", 50) + "\n\nwhat it is: b\nwhere: c"},
		{"no table", "| a | b |", "| a | b |"},
		{"tasks", "- [x] tests pass\n- [ ] backup made", "• [x] tests pass\n• [ ] backup made"},
		{"escapes", `\*not\* 1 &lt; 2 &amp; 3`, "*not* 1 < 2 & 3"},
		{"entities are no way in", "&#27;[2J &#x9b;m &#8238;evil", "␛[2J <U+009B>m <U+202E>evil"},
		{"entity in a link", "[x](&#27;]52;c;)", "x <␛]52;c;>"},
		{"rule", "a\n\n***\n\nb", "a\n\n────────────────────────\n\nb"},
		{"nothing", "\n\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := trimmed(ansi.Strip(strings.Join(m.markdown(c.source, 60), "\n")))
			if got != c.want+"\n" {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Markdown that is made to be slow or deep is neither, and loses nothing.
func TestMarkdownBombs(t *testing.T) {
	m := New(one(databases()), nil)
	const size = 240 << 10 // about what a hub stores
	for name, source := range map[string]string{
		"quotes":    strings.Repeat(">", size-4) + " end",
		"lists":     strings.Repeat("- ", size/2-2) + "end",
		"brackets":  strings.Repeat("[", size-3) + "end",
		"emphasis":  strings.Repeat("*a_", size/3-1) + "end",
		"backticks": strings.Repeat("`a", size/2-2) + "end",
		"nested":    strings.Repeat("> - ", 40) + "end",
		"numbers":   strings.Repeat("1. ", size/3-1) + "end",
		"links":     strings.Repeat("[a](", size/4-1) + "end",
		"table":     strings.Repeat("|a", 600) + "\n" + strings.Repeat("|-", 600) + "\n" + strings.Repeat("|b\n", 900) + "end",
		"lines":     strings.Repeat("1. \n ", size/5-1) + "end",
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			text := ansi.Strip(strings.Join(m.markdown(source, 37), ""))
			if took := time.Since(begin); took > time.Minute { // it takes milliseconds, or for ever
				t.Errorf("took %v", took)
			}
			if !strings.Contains(text, "end") {
				t.Error("the end is missing")
			}
		})
	}
}
