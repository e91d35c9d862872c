package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// pressReview takes a key on the page that shows all answers before they go.
func (m *Model) pressReview(f *form, msg tea.KeyPressMsg) tea.Cmd {
	w := m.o.Words
	switch k := msg.String(); k {
	case "enter":
		return m.send(f)
	case "s":
		switch f.answered() {
		case 0:
			f.notice = w.NothingToSend
		case len(f.sheets):
			return m.send(f)
		default:
			return m.sendPart(f)
		}
	case "esc":
		f.bar = leaveBar
	case "up", "pgup":
		m.scrollReview(f, -1)
	case "down", "pgdown":
		m.scrollReview(f, 1)
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		if n := int(k[0] - '1'); n < len(f.sheets) {
			f.turn(n)
		}
	default:
		m.turnKey(f, k)
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

// sendPart sends the answers there are, once everything that was folded in their
// questions has been opened.
func (m *Model) sendPart(f *form) tea.Cmd {
	if f.restored && !f.touched {
		f.notice = m.o.Words.DraftIsBack
		return nil
	}
	for i, s := range f.sheets {
		if !s.answered() {
			continue
		}
		if m.hiddenOn(f, i) > 0 {
			f.turn(i)
			f.notice = m.o.Words.say(m.o.Words.OpenFirst, m.o.Words.KeyOpen)
			return nil
		}
	}
	return m.finish(f, m.answer(f))
}

// scrollReview moves the review by half a screen, or by what there is.
func (m *Model) scrollReview(f *form, step int) {
	height := m.bodyHeight(m.head(f), m.foot(f))
	f.scroll = m.body(f, height).from + step*max(height/2, 1)
	f.scroll = m.body(f, height).from
}

// reviewLines shows every question with its answer.
func (m *Model) reviewLines(f *form) []string {
	w, l := m.o.Words, m.look
	edge := m.column(nil)
	lines := []string{blank + l.bold.Render(w.ReviewTitle), ""}
	for i, s := range f.sheets {
		number := " "
		if i < 9 {
			number = strconv.Itoa(i + 1)
		}
		text := wrap(s.q.Text, edge-5)
		if len(text) > 2 {
			text = []string{text[0], cut(text[1]+" …", edge-5)}
		}
		for k := range text {
			text[k] = l.dim.Render(text[k])
		}
		lines = append(lines, indent(blank+l.dim.Render(number)+" ", text)...)
		style, words := l.chosen, w.answerWords(s.q, s.answer())
		if !s.answered() {
			style, words = l.warn, w.NotYet
		}
		for _, t := range wrap(words, edge-5) {
			lines = append(lines, pad("", 5)+style.Render(t))
		}
		lines = append(lines, "")
	}
	return lines[:len(lines)-1]
}
