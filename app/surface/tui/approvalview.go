package tui

import (
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/saysohq/sayso"
)

// approvalBody draws everything that an approval shows. The fences are drawn line by
// line, however long they are, and the lines between them close together. A plan is
// Markdown to its end.
func (m *Model) approvalBody(body string, w int) []string {
	key := rendering{body, w, false}
	if lines, ok := m.rendered[key]; ok {
		return lines
	}
	var lines []string
	rest := strings.Split(body, "\n")
	for len(rest) > 0 {
		l := rest[0]
		rest = rest[1:]
		open := opensFence.FindStringSubmatch(l)
		switch {
		case strings.HasPrefix(l, "**Plan** · "):
			lines = append(append(lines, m.markdown(l, w)...), "")
			lines = append(lines, m.markdown(strings.TrimSpace(strings.Join(rest, "\n")), w)...)
			rest = nil
		case open != nil:
			end := slices.Index(rest, open[1])
			if end < 0 {
				end = len(rest)
			}
			lines = append(lines, m.fenceLines(rest[:end], open[2], w)...)
			rest = rest[min(end+1, len(rest)):]
		case l != "":
			lines = append(lines, m.onwards(m.markdown(l, w-2))...)
		}
	}
	m.rendered[key] = lines
	return lines
}

// onwards marks the rows in which a line goes on: they cannot pass for lines of their
// own.
func (m *Model) onwards(rows []string) []string {
	rows = append([]string{}, rows...)
	for i := range rows {
		if i > 0 {
			rows[i] = m.look.dim.Render("│") + " " + rows[i]
		}
	}
	return rows
}

var opensFence = regexp.MustCompile("^(`{3,})(sh|diff|json|text)$")

// fenceLines draws the lines of a fence. A line that is too long goes on in the next
// row, behind a bar: it cannot pass for a line of its own, and none is cut.
func (m *Model) fenceLines(source []string, lang string, w int) []string {
	var lines []string
	for _, l := range source {
		style := m.look.code
		if lang == "diff" {
			style = m.diffStyle(l)
		}
		rows := hardwrap(l, w-4)
		for i := range rows {
			rows[i] = style.Render(rows[i])
		}
		lines = append(lines, prefix("  ", m.onwards(rows))...)
	}
	return lines
}

// diffStyle is the colour of a line of a diff. Its first character says the same.
func (m *Model) diffStyle(l string) lipgloss.Style {
	switch {
	case strings.HasPrefix(l, "+"):
		return m.look.ok
	case strings.HasPrefix(l, "-"):
		return m.look.removed
	case strings.HasPrefix(l, "@@"):
		return m.look.hunk
	}
	return m.look.plain
}

// openingLines say how far what is stored beside the ask has come.
func (m *Model) openingLines(p *approval, w int) []string {
	k, words := m.look, m.o.Words
	switch {
	case p == nil:
		return nil
	case p.state == isOpening:
		return wrap(k.warn.Render(words.Opening), w)
	case p.state == cannotOpen:
		return wrap(k.danger.Render(words.say(words.NotOpened, p.why)), w)
	}
	return nil
}

// ownWords is what stands in the place of own words.
func (m *Model) ownWords(s *sheet) string {
	w := m.o.Words
	if s.approval == nil {
		return w.OwnWords
	}
	for _, o := range s.approval.of.Denies() {
		if o.Message {
			return w.DenyWords
		}
	}
	return w.NoWords
}

// drawEdit draws the input as the person changes it.
func (m *Model) drawEdit(p *page, s *sheet) {
	m.drawMore(p, s, onEdit, s.editRow(), "c ✎", s.approval.edit, m.look.bold.Render)
}

// showsEdit reports whether the changed input has a place in the list.
func (s *sheet) showsEdit() bool {
	return s.focus == onEdit || s.approval.changed()
}

// editRow is the row of the changed input.
func (s *sheet) editRow() int { return s.other() + 2 }

// changedInput is the input that is sent, for the review.
func (s *sheet) changedInput() string {
	if !s.approval.changed() || !s.approval.allows(s) {
		return ""
	}
	return sayso.Visible(s.approval.edit.value())
}
