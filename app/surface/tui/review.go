package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// pressReview takes a key on the page that shows all answers before they go.
func (m *Model) pressReview(f *form, k string) tea.Cmd {
	switch k {
	case "enter":
		return m.send(f)
	case "s":
		if f.answered() == 0 {
			f.notice = m.o.Words.NothingToSend
			return nil
		}
		return m.sendPart(f)
	case "esc":
		return m.leave(f)
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		if n := int(k[0] - '1'); n < len(f.sheets) {
			f.turn(n)
		}
	case "shift+tab", "left":
		f.turn(len(f.sheets) - 1)
	default:
		if !m.scrollPage(f, k) {
			m.turnKey(f, k)
		}
	}
	return nil
}

// send sends all answers, or goes to the first question that has none.
func (m *Model) send(f *form) tea.Cmd {
	w := m.o.Words
	for i, s := range f.sheets {
		if s.answered() {
			continue
		}
		f.turn(i)
		f.notice = w.say(w.StillOpen, i+1)
		return nil
	}
	return m.sendPart(f)
}

// sendPart sends the answers there are, once the person has seen all of them, and
// has said yes to what is dangerous.
func (m *Model) sendPart(f *form) tea.Cmd {
	for i, s := range f.sheets {
		if s.answered() && !m.ready(f, i, func() tea.Cmd { return m.sendPart(f) }) {
			return nil
		}
	}
	p := m.reviewPage(f)
	if at, unseen := f.review.unseen(p); unseen {
		f.scroll, f.notice = max(at-1, 0), m.o.Words.MoreToSee
		return nil
	}
	o := m.answer(f)
	if f.bar != dangerBar && len(f.ask.Dangerous(o.Answers)) > 0 {
		f.bar = dangerBar
		f.guard.begin(m.o.Now(), m.o.Guard)
		return nil
	}
	return m.finish(f, o)
}

// scrollPage scrolls the review, or the news that an ask was closed elsewhere.
func (m *Model) scrollPage(f *form, k string) bool {
	height := m.bodyHeight(f)
	from := m.body(f, height).from
	switch k {
	case "up", "k":
		f.scroll = from - 1
	case "down", "j":
		f.scroll = max(from, 1) + 1
	case "pgup":
		f.scroll = from - max(height-3, 1)
	case "pgdown":
		f.scroll = from + max(height-3, 1)
	case "home":
		f.scroll = 0
	case "end":
		f.scroll = 1 << 30
	default:
		return false
	}
	f.scroll = m.body(f, height).from
	return true
}

// reviewPage shows every question with its answer. What is chosen, and where a
// text begins and ends, must have been in sight before it is sent.
func (m *Model) reviewPage(f *form) *page {
	w, l := m.o.Words, m.look
	edge := m.column(nil)
	p := newPage()
	of := part{kind: theReview}
	title := l.bold.Render(w.ReviewTitle)
	if f.bar == dangerBar {
		title = l.danger.Render(w.DangerTitle)
	}
	p.add(of, m.fits(blank+title), "")
	for i, s := range f.sheets {
		if i > 0 {
			p.add(of, "")
		}
		number := " "
		if i < 9 && len(f.sheets) > 1 {
			number = strconv.Itoa(i + 1)
		}
		text := wrap(s.q.Text, edge-5)
		if len(text) > 2 {
			text = []string{text[0], cut(text[1]+" …", edge-5)}
		}
		for k := range text {
			text[k] = l.dim.Render(text[k])
		}
		p.add(of, indent(blank+l.dim.Render(number)+" ", text)...)
		m.reviewAnswer(p, s, edge)
	}
	f.review.is(p)
	return p
}

// reviewAnswer shows the answer to a question, all of it.
func (m *Model) reviewAnswer(p *page, s *sheet, edge int) {
	w, l := m.o.Words, m.look
	of := part{kind: theReview}
	if !s.answered() {
		p.add(of, m.fits(pad("", 5)+l.warn.Render(w.NotYet)))
		return
	}
	must := func(mark string, lines []string, all bool) {
		from := len(p.lines)
		p.add(of, indent(pad("", 5)+mark+" ", lines)...)
		for i := from; i < len(p.lines); i++ {
			p.lines[i].must = all || i == from || i == len(p.lines)-1
		}
	}
	for i, picked := range s.picked {
		if !picked {
			continue
		}
		o := &s.q.Options[i]
		mark, style := l.chosen.Render("●"), l.chosen
		if o.Danger {
			mark, style = l.danger.Render("!"), l.danger
		}
		lines := wrap(o.Label, edge-7)
		for k := range lines {
			lines[k] = style.Render(lines[k])
		}
		lines = m.tag(lines, o.Danger, w.Dangerous, l.danger.Render, edge-7)
		if o.Danger && o.Description != "" {
			lines = append(lines, wrap(o.Description, edge-7)...)
		}
		must(mark, lines, true)
	}
	if input := s.changedInput(); input != "" {
		must(l.chosen.Render("c"), hardwrap(input, edge-7), true)
	}
	if s.saysWords() {
		must(l.chosen.Render("❝"), m.textLines(s.words, edge-7), false)
	}
	if !s.note.empty() {
		must(l.dim.Render("✎"), m.textLines(s.note, edge-7), false)
	}
}

// textLines shows a text of the person as it was typed, line by line.
func (m *Model) textLines(f *field, w int) []string {
	if f.secret {
		return []string{m.o.Words.SecretGiven}
	}
	key := rendering{f.value(), w, false}
	lines, ok := m.rendered[key]
	if !ok {
		lines = hardwrap(strings.ReplaceAll(sayso.SafeText(f.value()), "\t", "    "), w)
		m.rendered[key] = lines
	}
	return lines
}
