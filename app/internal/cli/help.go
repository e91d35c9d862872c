package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/saysohq/sayso/app/console"
)

// topics are the texts of the help that are not about one command.
func topics() []console.Topic {
	return []console.Topic{
		{Name: "config", Short: "settings and where they are read", Text: configHelp()},
		{Name: "environment", Short: "environment variables", Text: environmentHelp()},
		{Name: "exit-codes", Short: "exit codes and output", Text: exitCodesPage().text()},
	}
}

// page is a text for the help and for docs/reference, with a table. Backquotes mark
// what is typed.
type page struct {
	title string
	intro []string
	head  [2]string
	rows  [][2]string
	more  []string
}

func exitCodesPage() *page {
	return &page{
		title: "Exit codes and output",
		intro: []string{"Scripts can rely on the exit codes. They keep their meaning; a new code only comes with a new outcome."},
		head:  [2]string{"code", "means"},
		rows:  console.ExitCodes(),
		more: []string{
			"Standard output has the result and nothing else: text, or one JSON object with `--json`. Prompts and status messages go to standard error or to the terminal.",
			"An error is one line on standard error, and below it, indented, the next step. With `--json` it is an object on standard error: `{\"error\":\"…\",\"hint\":\"…\",\"exit\":2}`. Rely on the fields and not on the words.",
			"The refusal of an invalid tool call is a result: it is on standard output, for the model to read.",
			"A pipe gets text results byte for byte. On a terminal, control sequences are removed or made visible. JSON output writes non-printing characters as `\\u` escapes.",
			"`sayso hook` never exits with 2, because Claude Code would take that for a refusal of the tool call.",
		},
	}
}

// text is the page for a terminal.
func (p *page) text() string {
	wide := 0
	for _, r := range p.rows {
		wide = max(wide, len(r[0]))
	}
	var b strings.Builder
	for _, line := range p.intro {
		b.WriteString(wrap(line) + "\n\n")
	}
	for _, r := range p.rows {
		fmt.Fprintf(&b, "  %-*s  %s\n", wide, r[0], r[1])
	}
	for _, line := range p.more {
		b.WriteString("\n" + wrap(line) + "\n")
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "`", "")
}

// markdown is the page for docs/reference.
func (p *page) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n| %s | %s |\n|---|---|\n", p.title, strings.Join(p.intro, "\n\n"), p.head[0], p.head[1])
	for _, r := range p.rows {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(r[0], ", ", "`, `"), r[1])
	}
	for _, line := range p.more {
		b.WriteString("\n" + line + "\n")
	}
	return b.String()
}

// wrap folds a paragraph at 80 columns.
func wrap(text string) string {
	var b strings.Builder
	col := 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		if col > 0 && col+1+n > 80 {
			b.WriteByte('\n')
			col = 0
		}
		if col > 0 {
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += n
	}
	return cmp.Or(b.String(), text)
}
