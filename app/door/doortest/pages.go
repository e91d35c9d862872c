package doortest

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed testdata/received
var receivedTexts embed.FS

// receivedNames are the texts that a model receives, in the order of the pages.
var receivedNames = []struct{ file, caption string }{
	{"question-own", "Its own question, answered in its own dialog, without sayso"},
	{"question-inbox", "Its own question, answered in the inbox"},
	{"question-mcp", "A question by the tool that sayso brings"},
	{"late", "An answer that came after the call had ended, with the next prompt"},
	{"denied-own", "A tool call that was denied in its own dialog, without sayso"},
	{"denied-inbox", "A tool call that was denied in the inbox"},
}

// ReceivedPart returns what the page of a program says that its model receives: the
// exact texts which the tests compare.
func ReceivedPart(program string) (string, error) {
	var b strings.Builder
	for _, r := range receivedNames {
		text, err := receivedTexts.ReadFile("testdata/received/" + program + "/" + r.file + ".txt")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if strings.Contains(string(text), "```") {
			return "", fmt.Errorf("%s: the text %s ends a block of the page", program, r.file)
		}
		fmt.Fprintf(&b, "%s:\n\n```text\n%s```\n\n", r.caption, text)
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("there are no texts of %s", program)
	}
	return strings.TrimSpace(b.String()), nil
}

// CellsPart returns what the page of a program says is shown of it.
func (t *Tested) CellsPart(program string) (string, error) {
	p := t.Program(program)
	if p == nil {
		return "", fmt.Errorf("versions.json has no program %s", program)
	}
	var b strings.Builder
	b.WriteString("| In CI, with the published program | |\n|---|---|\n")
	for _, c := range CellNames {
		fmt.Fprintf(&b, "| %s | %s |\n", c.Name, p.Cells[c.Cell])
	}
	return strings.TrimSpace(b.String()), nil
}

// CellTable returns the table of all programs. What a program cannot do is said below
// it.
func (t *Tested) CellTable() string {
	var b, below strings.Builder
	b.WriteString("| Agent |")
	for _, c := range CellNames {
		b.WriteString(" " + c.Cell + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(CellNames)) + "\n")
	shown, all := 0, 0
	for _, p := range t.Programs {
		fmt.Fprintf(&b, "| [%s](%s.md) |", p.Title, p.Page)
		for _, c := range CellNames {
			all++
			if says := p.Cells[c.Cell]; strings.HasPrefix(says, Shown) {
				shown++
				b.WriteString(" " + says + " |")
				continue
			}
			b.WriteString(" – |")
			fmt.Fprintf(&below, "- %s, %s: %s\n", p.Title, c.Cell, p.Cells[c.Cell])
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n%d of %d are shown:\n\n", shown, all)
	for _, c := range CellNames {
		fmt.Fprintf(&b, "- **%s**: %s\n", c.Cell, c.Name)
	}
	if below.Len() > 0 {
		b.WriteString("\nThe others, and why:\n\n" + below.String())
	}
	return strings.TrimSpace(b.String())
}
