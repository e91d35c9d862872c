package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// precedentsMsg is what was answered before to what the dialog asks.
type precedentsMsg struct {
	inbox *Inbox
	of    hub.Address
	found []hub.Precedent
	err   error
}

// lookUp asks what was answered before.
func (b *Inbox) lookUp(t *hub.Ticket) tea.Cmd {
	if !b.can.precedents || !t.Open() || t.Ask.Approval != nil {
		return nil
	}
	return func() tea.Msg {
		found, err := b.calls.desk.precedents(t)
		return precedentsMsg{b, t.Address, found, err}
	}
}

// knows shows the best of what was answered before.
func (b *Inbox) knows(msg precedentsMsg) {
	if unsupported(msg.err) {
		b.can.precedents = false
	}
	if msg.err != nil || len(msg.found) == 0 || b.dialog == nil || b.shown.Address != msg.of || b.amends {
		return // the question is answered without it
	}
	if f := b.dialog.form(); f != nil && f.closed == nil {
		f.earlier = &msg.found[0]
		b.refresh()
	}
}

// earlierLines are the answer that was given before, above the options.
func (m *Model) earlierLines(f *form, w int) []string {
	p := f.earlier
	if p == nil || p.Ticket == nil || p.Ticket.Outcome == nil {
		return nil
	}
	words, l, t := m.o.Words, m.look, p.Ticket
	text := words.Inbox.AnsweredBefore + words.where(t.Outcome.By.Surface)
	if who := t.Outcome.By.ID; who != "" {
		text += " " + words.say(words.ByWhom, squeeze(sayso.SafeLine(who)))
	}
	if !p.Same {
		text += " (" + words.Inbox.LikeQuestion + ": " + words.quote(cut(rowText(t.Ask), 60)) + ")"
	}
	text += ": " + words.answers(t.Ask, t.Outcome.Answers)
	if !t.Outcome.At.IsZero() {
		text += " · " + words.age(m.o.Now().Sub(t.Outcome.At))
	}
	lines := firstLines(wrap(text, w), 3, w)
	for i := range lines {
		lines[i] = l.ok.Render(lines[i])
	}
	if p.Answers != nil {
		lines = m.tag(lines, true, "r "+words.DoesReuse, l.bold.Render, w)
	} else {
		lines = append(lines, wrap(l.dim.Render(words.Inbox.CannotReuse), w)...)
	}
	return prefix(blank, lines)
}

// reuse fills in the answer that was given before. Where one key answers, this one
// does; else the person looks at it and confirms.
func (m *Model) reuse(f *form) tea.Cmd {
	p, w := f.earlier, m.o.Words
	if p == nil || p.Answers == nil || f.sheet() == nil || !m.frame.sight[part{theEarlier, -1}].whole() {
		return nil
	}
	if f.entered() > 0 {
		f.notice = w.NotOverYours
		return nil
	}
	before := f.draft()
	f.restore(p.Answers)
	f.restored, f.touched = false, true
	s := f.sheet()
	if m.simple(f, s) && s.anyPicked() {
		return m.answersAt(f)
	}
	f.notice = w.say(w.Reused, w.KeyEnter)
	return m.changed(f, before)
}

// simple reports whether choosing an option is answering: the answer is held and can
// be undone, and the ask is a single choice without danger, secrets and typed text.
func (m *Model) simple(f *form, s *sheet) bool {
	danger, secret := f.ask.Marks()
	return m.o.quick != nil && m.o.quick() && len(f.sheets) == 1 && s.approval == nil &&
		s.q.Chooses() && !s.q.Several() && !danger && !secret && f.ask.Warning() == "" &&
		s.words.empty() && s.note.empty() && f.ask.MinAssurance <= m.o.By.Assurance
}

// picked answers with the option that was just chosen, where that is all it takes.
func (m *Model) picked(f *form, s *sheet) tea.Cmd {
	if !m.simple(f, s) {
		return nil
	}
	return m.answersAt(f)
}

// answersAt answers with a single key.
func (m *Model) answersAt(f *form) tea.Cmd {
	m.draw() // it is seen chosen
	f.single = true
	cmd := m.advance(f)
	f.single = f.sending != nil
	return cmd
}
