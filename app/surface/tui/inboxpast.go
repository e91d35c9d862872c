package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// past is a closed ask on the screen.
type past struct {
	ticket *hub.Ticket
	scroll scrolling
}

// pressPast takes a key while a closed ask is open.
func (b *Inbox) pressPast(k string) tea.Cmd {
	switch k {
	case "a":
		return b.amend(b.past.ticket)
	case "o":
		return b.askAgain(b.past.ticket)
	case "y":
		return b.copyPast(b.past.ticket)
	case "?":
		return b.showHelp()
	case "esc", "q", "left", "enter", "ctrl+c":
		b.past = nil
	default:
		b.past.scroll.press(k)
	}
	return nil
}

// pastLines draws what was asked and answered, by whom, when and where, and whether the
// asker has it.
func (b *Inbox) pastLines(t *hub.Ticket, width int) []string {
	w, l := b.o.Words, b.look
	o := b.o
	o.inbox, o.passive = true, true
	m := New([]*sayso.Ask{t.Ask}, &o)
	m.look, m.width, m.height = l, width, 1<<20
	m.resize()
	f := m.forms[0]
	edge := m.column(nil)
	lines := m.identity(t.Ask.Origin, b.clockOf(t), edge, true)
	add := func(text string, style func(...string) string) {
		lines = append(lines, prefix(blank, wrap(style(text), edge-3))...)
	}
	lines = append(lines, "")
	state, style := b.rowState(hub.Item{Ticket: t})
	add(state, style.Render)
	if t.Outcome != nil {
		if !t.Outcome.At.IsZero() {
			add(b.clock(t.Outcome.At)+" · "+b.delivery(t), l.dim.Render)
		}
		if why := t.Outcome.Reason; !sayso.Blank(why) {
			add(w.Inbox.DeclineReason+": "+w.quote(why), l.plain.Render)
		}
	}
	for _, s := range f.sheets {
		lines = append(lines, "")
		for _, line := range m.askPage(f, s).lines {
			lines = append(lines, line.text)
		}
		lines = append(lines, b.pastAnswer(s.q, t.Outcome, edge)...)
	}
	if n := len(t.History); n > 0 {
		lines = append(lines, "")
		for _, e := range t.History {
			add(w.Why(e.Why)+" · "+b.clock(e.At)+" · "+w.wasClosed(t.Ask, e.Outcome.Settled()), l.dim.Render)
		}
	}
	if b.past != nil && b.past.ticket == t {
		hints := []hint{{"y", w.DoesCopy}, {"↑↓", w.DoesScroll}, {w.KeyEsc, w.DoesBack}}
		if b.repeatable(t) {
			hints = append([]hint{{"o", w.DoesAgain}}, hints...)
		}
		if b.amendable(t) {
			hints = append([]hint{{"a", w.DoesAmend}}, hints...)
		}
		lines = append(append(lines, ""), b.hintsIn(hints, edge, 2)...)
	}
	return lines
}

// clockOf is when an ask was asked.
func (b *Inbox) clockOf(t *hub.Ticket) string {
	if t.Ask.AskedAt.IsZero() {
		return ""
	}
	return b.clock(t.Ask.AskedAt)
}

// delivery says whether the asker has the outcome.
func (b *Inbox) delivery(t *hub.Ticket) string {
	if t.Consumed.IsZero() {
		return b.o.Words.Inbox.NotDelivered
	}
	return b.o.Words.Inbox.Delivered + " " + b.clock(t.Consumed)
}

// pastAnswer shows what was said to a question, all of it.
func (b *Inbox) pastAnswer(q *sayso.Question, o *sayso.Outcome, edge int) []string {
	w, l := b.o.Words, b.look
	var a sayso.Answer
	if o != nil {
		a, _ = o.Answer(q.ID)
	}
	if !a.Answered() {
		return nil
	}
	if q.Secret {
		return []string{"", pad("", 5) + w.SecretGiven}
	}
	lines := []string{""}
	for _, id := range a.Selected {
		label := id
		if op := q.Option(id); op != nil {
			label = op.Label
		}
		for i, t := range wrap(sayso.SafeText(label), edge-7) {
			lines = append(lines, pad("", 3)+map[bool]string{true: l.chosen.Render("●"), false: " "}[i == 0]+" "+l.chosen.Render(t))
		}
	}
	for _, t := range []struct{ mark, text string }{{"❝", a.Other}, {"✎", a.Note}, {"c", a.Input}} {
		if t.text == "" {
			continue
		}
		text := hardwrap(strings.ReplaceAll(sayso.SafeText(t.text), "\t", "    "), edge-7)
		lines = append(lines, indent(blank+l.chosen.Render(t.mark)+" ", text)...)
	}
	return lines
}

// amendable reports whether the person may try to change an answer.
func (b *Inbox) amendable(t *hub.Ticket) bool {
	return b.can.amend && !t.Open() && t.Outcome.Status == sayso.StatusAnswered && t.Outcome.By.Kind.Human()
}

// amend opens the dialog with what was answered, to answer differently.
func (b *Inbox) amend(t *hub.Ticket) tea.Cmd {
	w := b.o.Words
	if !b.amendable(t) {
		b.say(w.CannotAmend)
		return nil
	}
	return b.openAs(t, t.Outcome.Answers, true)
}

// repeatable reports whether the ask can be asked again.
func (b *Inbox) repeatable(t *hub.Ticket) bool {
	return b.can.amend && !t.Open() && t.Ask.Approval == nil
}

// againMsg says what became of asking again.
type againMsg struct {
	inbox  *Inbox
	ticket *hub.Ticket
	err    error
}

// askAgain asks a closed ask once more.
func (b *Inbox) askAgain(t *hub.Ticket) tea.Cmd {
	if !b.repeatable(t) {
		return nil
	}
	return func() tea.Msg {
		again, err := b.calls.desk.again(t)
		return againMsg{b, again, err}
	}
}

// askedAgain opens the new ask.
func (b *Inbox) askedAgain(msg againMsg) tea.Cmd {
	w := b.o.Words
	switch {
	case unsupported(msg.err):
		b.say(w.NotSupported)
		return nil
	case msg.err != nil:
		b.say(w.say(w.Inbox.NotAgain, w.trouble(msg.err)))
		return nil
	}
	b.past = nil
	b.put(msg.ticket)
	b.notice, b.sent = w.Inbox.AgainByYou, false
	return tea.Batch(b.open(msg.ticket, nil), b.search())
}

// copyPast puts a closed ask into the clipboard, as Markdown.
func (b *Inbox) copyPast(t *hub.Ticket) tea.Cmd {
	b.notice, b.sent = b.o.Words.Copied, false
	return tea.SetClipboard(b.markdownOf(t))
}

// markdownOf is a closed ask as Markdown.
func (b *Inbox) markdownOf(t *hub.Ticket) string {
	w := b.o.Words
	var md strings.Builder
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		md.WriteString("**" + squeeze(sayso.SafeLine(q.Text)) + "**\n\n")
		if a, ok := t.Outcome.Answer(q.ID); ok && a.Answered() {
			md.WriteString("> " + sayso.SafeLine(oneLine(w.answerWords(q, a))) + "\n\n")
		}
	}
	md.WriteString(w.wasClosed(t.Ask, t.Outcome.Settled()))
	if !t.Outcome.At.IsZero() {
		md.WriteString(" · " + b.clock(t.Outcome.At))
	}
	md.WriteString(" (" + w.asker(t.Ask.Origin) + ")\n")
	return md.String()
}

// unchanged reports whether the dialog has the answer as it was given.
func (b *Inbox) unchanged(f *form) bool {
	return slices.EqualFunc(f.draft(), b.shown.Outcome.Answers, same)
}
