package sayso

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// block is one thing that an approval shows.
type block struct {
	name, note string
	text       string // made visible
	format     PartFormat
	line       bool // it has one line
	foreign    bool // the name is the asker's
}

// blocks returns everything that an approval shows, in order. Of what is stored beside
// the ask it has the beginning and the end, unless whole has the text. A plan is the
// last: what follows it could be taken for a part of it.
func (a *Approval) blocks(whole map[string]string) []block {
	var all, plans []block
	for i := range a.Shown {
		p := &a.Shown[i]
		b := block{name: SafeLine(p.Name), note: a.changed(p) + p.extent(), text: strings.TrimSuffix(p.visible(whole), "\n"), format: p.Format}
		b.foreign = b.format == PartDiff || b.format == PartText
		if p.Format == PartMarkdown {
			plans = append(plans, b)
		} else {
			all = append(all, b)
		}
	}
	line := func(name string, texts ...string) {
		for _, text := range texts {
			if !Blank(text) {
				all = append(all, block{name: name, text: SafeLine(text), line: true})
			}
		}
	}
	line("Directory", a.Cwd)
	if !Blank(a.Reason) {
		all = append(all, block{name: "Reason", note: "the agent's words", text: Visible(a.Reason), format: PartText})
	}
	line("Asks because", a.Why...)
	line("Tool", a.Tool)
	line("Permission mode", a.Mode)
	line("Not told by the agent", a.Missing...)
	return append(all, plans...)
}

// changed says what happens to the file that a part is the diff of.
func (a *Approval) changed(p *Part) string {
	for _, f := range a.Files {
		if p.Format == PartDiff && f.Path == p.Name {
			op := map[FileOp]string{FileAdd: "new file", FileUpdate: "changed", FileDelete: "deleted"}[f.Op]
			return fmt.Sprintf("%s, +%d −%d, ", op, f.Added, f.Removed)
		}
	}
	return ""
}

// body is everything that an approval shows, as Markdown. Texts of the asker stand in
// fences that they cannot close.
func (a *Approval) body(whole map[string]string) string {
	var b strings.Builder
	for _, one := range a.blocks(whole) {
		name := one.name
		if one.foreign {
			name = span(name)
		}
		switch {
		case one.line:
			b.WriteString("**" + name + "** " + span(one.text) + "\n\n")
		case one.format == PartMarkdown:
			b.WriteString("**" + name + "** · " + one.note + "\n\n" + one.text)
		default:
			b.WriteString("**" + name + "** · " + one.note + "\n\n" + fenced(fences[one.format], one.text) + "\n\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// renderBody writes everything that an approval shows as plain text, the lines of the
// asker behind bars.
func (a *Approval) renderBody(b *strings.Builder) {
	for _, one := range a.blocks(a.whole) {
		if one.line {
			b.WriteString(one.name + ": " + one.text + "\n")
			continue
		}
		name := one.name
		if one.foreign {
			name = "“" + name + "”"
		}
		b.WriteString(name + " · " + one.note + "\n")
		renderBars(b, "  ", one.text)
	}
}

// fences are the names of the formats in Markdown.
var fences = map[PartFormat]string{PartCommand: "sh", PartDiff: "diff", PartJSON: "json", PartText: "text"}

// extent says how much a part is.
func (p *Part) extent() string {
	lines := "1 line"
	if p.Lines != 1 {
		lines = fmt.Sprint(p.Lines) + " lines"
	}
	return size(p.Size) + ", " + lines
}

// visible is the text of a part as it is shown.
func (p *Part) visible(whole map[string]string) string {
	if !p.Stored {
		return Visible(p.Text)
	}
	if text, ok := whole[p.SHA256]; ok {
		return Visible(text)
	}
	between := size(p.Size - len(p.Head) - len(p.Tail))
	return Visible(p.Head) + "\n⟨" + between + " in between, not shown here⟩\n" + Visible(p.Tail)
}

var (
	manySpaces = regexp.MustCompile(`[ \x{a0}\x{3000}]{41,}`)
	manyLines  = regexp.MustCompile(`\n(?:[ \x{a0}\x{3000}]*\n){11,}`)
)

// Visible returns a text of an approval as it is shown: [SafeText], with carriage
// returns at line ends, and with long runs of spaces and empty lines as a number.
// Nothing in it can hide what comes behind it.
func Visible(s string) string {
	s = SafeText(strings.ReplaceAll(s, "\r\n", "␍\n"))
	s = manyLines.ReplaceAllStringFunc(s, func(run string) string {
		return fmt.Sprintf("\n⟨%d empty lines⟩\n", strings.Count(run, "\n")-1)
	})
	return manySpaces.ReplaceAllStringFunc(s, func(run string) string {
		return fmt.Sprintf(" ⟨%d spaces⟩ ", utf8.RuneCountInString(run))
	})
}

// fenced returns text in a fence that nothing in it closes.
func fenced(lang, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + lang + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// span returns a line of the asker as code.
func span(s string) string {
	return "`" + strings.ReplaceAll(SafeLine(s), "`", "ˋ") + "`"
}

// WithContent returns the ask with everything that is stored beside it, as a surface
// shows it: whole has the texts by their hashes, but for those that are here already,
// because nobody has stored the ask. The digest of a ticket is that of
// the ask without. An error matches [ErrContent] if a text is missing, or another
// than the hash says.
func (a *Ask) WithContent(whole map[string]string) (*Ask, error) {
	if a.Approval == nil {
		return a, nil
	}
	texts := map[string]string{}
	for i := range a.Approval.Shown {
		p := &a.Approval.Shown[i]
		if !p.Stored {
			continue
		}
		text, ok := whole[p.SHA256]
		if !ok {
			text = p.Text
		}
		if hashOf(text) != p.SHA256 {
			return nil, fmt.Errorf("%w: %s", ErrContent, p.SHA256)
		}
		texts[p.SHA256] = text
	}
	c := a.Clone()
	c.Questions[0].Body, c.Approval.whole = a.Approval.body(texts), texts
	return c, nil
}
