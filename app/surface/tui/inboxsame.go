package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// identical returns the other open asks with the same questions.
func (b *Inbox) identical(t *hub.Ticket) []*hub.Ticket {
	var same []*hub.Ticket
	for _, w := range b.waiting {
		if w.Address != t.Address && w.Digest == t.Digest && t.Digest != "" && w.Held == nil && !b.isLater(w.Address) {
			same = append(same, w)
		}
	}
	return same
}

// together has the answer in the dialog go to all identical asks, which are shown, or
// to this one alone again. Of an approval it selects others of its kind.
func (b *Inbox) together(f *form) tea.Cmd {
	if f.sheets[0].approval != nil && len(b.identical(b.shown)) == 0 {
		i := hub.Item{Ticket: b.shown}
		keep := b.drop()
		return tea.Batch(keep, b.pressPicks("b", i))
	}
	if f.together != nil {
		f.together = nil
	} else {
		f.together = b.identical(b.shown)
	}
	for _, s := range f.sheets {
		delete(s.seen, part{kind: theAsk}) // they are part of what the person has to look at
	}
	b.dialog.askPages = map[askDrawing]*page{}
	return nil
}

// togetherLines say whom an answer goes to, each of them.
func (m *Model) togetherLines(f *form, w int) []string {
	if len(f.together) == 0 {
		return nil
	}
	words, l := m.o.Words, m.look
	lines := []string{""}
	lines = append(lines, wrap(l.warn.Render(words.count(words.AnswersAlso, len(f.together))), w)...)
	for _, t := range f.together {
		text := words.asker(t.Ask.Origin)
		if !t.Ask.AskedAt.IsZero() {
			text += " · " + words.age(m.o.Now().Sub(t.Ask.AskedAt))
		}
		lines = append(lines, indent("• ", wrap(text, w-2))...)
	}
	return lines
}

// giveAlso gives the same outcome to identical asks. One that cannot be closed stays in
// the list, or somebody else was faster: the notice counts only those that were.
func (b *Inbox) giveAlso(g *given, also []*hub.Ticket, o *sayso.Outcome) {
	for _, t := range also {
		own := *o
		if closed, err := b.give(t, &own, false); err == nil {
			g.tickets = append(g.tickets, closed)
		}
	}
}
