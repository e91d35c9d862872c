package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso/app/surface/words"
)

// showHelp lists the keys.
func (b *Inbox) showHelp() tea.Cmd {
	b.help = &scrolling{}
	return nil
}

// helpLines are the keys that do something here: those that the browser has as well,
// and those of the terminal.
func (b *Inbox) helpLines(edge int) []string {
	w, l := b.o.Words, b.look
	edge = min(edge, textMax)
	lines := []string{blank + l.bold.Render(w.Keys.Title), ""}
	add := func(key, does string) {
		lines = append(lines, indent(blank+l.bold.Render(pad(key, 9))+" ", wrap(does, edge-13))...)
	}
	for _, row := range w.KeyRows() {
		if b.does(row.Action) {
			add(strings.Join(row.Keys, " "), row.Words)
		}
	}
	lines = append(lines, "")
	add(w.KeySpace, w.DoesTick)
	add("0", w.OwnWords)
	add("n", w.TypeNote)
	if b.can.search {
		add("y", w.HelpCopy)
	}
	add(w.KeyUndo, w.HelpUndo)
	add(w.KeyOpen, w.HelpOpen)
	add(w.KeyDecline, w.DeclineYes)
	add(w.KeyCancel, w.CancelYes)
	return append(lines, "", blank+l.dim.Render(cut(w.Keys.NotInFields, edge-3)), blank+l.dim.Render(w.KeyAny+" "+w.DoesGoOn))
}

// does reports whether the hub lets the inbox do something.
func (b *Inbox) does(a words.Action) bool {
	switch a {
	case words.ActionSearch, words.ActionViews, words.ActionFilter:
		return b.can.search
	case words.ActionLater:
		return b.can.snooze
	case words.ActionPass:
		return len(b.people) > 0
	case words.ActionReuse:
		return b.can.precedents
	case words.ActionAmend, words.ActionAgain:
		return b.can.amend && b.can.search
	}
	return true
}
