package tui

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// rowAt is the column in which the text of a row begins, behind the agent's mark.
const rowAt = 7

// row draws an ask in the list: who asks and when, what, and its marks.
func (b *Inbox) row(rows []hub.Item, at int, highlighted bool, edge int) []string {
	w, l, t := b.o.Words, b.look, rows[at]
	g, style := blank, l.bold
	if highlighted {
		g, style = " "+l.accent.Render(pointer)+" ", l.accent
	}
	if !t.Open() {
		style = l.plain
	}
	room := edge - rowAt
	when := b.when(t.Ticket)
	mark := g + b.mark(t) + " "
	var lines []string
	who, claim := w.Verified(sayso.Origin{Asker: t.Ask.Origin.Asker}), t.Ask.Origin.Claim()
	if line := w.say(w.AskerInShort, who, claim); claim != "" && columns(line)+2+columns(when) <= room {
		who, claim = line, ""
	}
	lines = append(lines, mark+spread(l.dim.Render(who), l.dim.Render(when), room))
	if claim != "" {
		lines = append(lines, pad("", rowAt)+l.dim.Render(cut(w.SaysItIs+" "+claim, room)))
	}
	for _, s := range firstLines(wrap(rowText(t.Ask), room), 2, room) {
		lines = append(lines, pad("", rowAt)+style.Render(s))
	}
	for _, m := range flow(b.rowMarks(t), " · ", room) {
		lines = append(lines, pad("", rowAt)+l.warn.Render(m))
	}
	if state, style := b.rowState(t); state != "" {
		for _, s := range firstLines(wrap(state, room), 2, room) {
			lines = append(lines, pad("", rowAt)+style.Render(s))
		}
	}
	if b.query.grouped && (at == 0 || rows[at-1].Address.Conversation != t.Address.Conversation) {
		lines = append([]string{blank + l.dim.Render(cut(b.groupName(rows, at), edge-3))}, lines...)
	}
	return lines
}

// rowText is what is asked, in short.
func rowText(a *sayso.Ask) string {
	if len(a.Questions) == 0 {
		return squeeze(sayso.Meta(a))
	}
	return squeeze(sayso.SafeLine(a.Questions[0].Text))
}

// when is how long ago an ask was asked, or closed.
func (b *Inbox) when(t *hub.Ticket) string {
	at := t.Ask.AskedAt
	if !t.Open() && !t.Outcome.At.IsZero() {
		at = t.Outcome.At
	}
	if at.IsZero() {
		return ""
	}
	return b.o.Words.age(b.o.Now().Sub(at))
}

// rowMarks are the marks of an ask in the list.
func (b *Inbox) rowMarks(t hub.Item) []string {
	w := b.o.Words
	left := ""
	if !t.Ask.Deadline.IsZero() && t.Open() {
		left = w.countdown(t.Ask.Deadline.Sub(b.o.Now()))
	}
	marks := w.inShort(t.Ask, left)
	if n := len(t.Ask.Questions) - 1; n > 0 {
		marks = append(marks, w.count(w.MoreQuestions, n))
	}
	if n := len(b.identical(t.Ticket)); n > 0 && t.Open() {
		marks = append(marks, w.count(w.Inbox.SameOthers, n))
	}
	if p := t.Address.Person; p != "" {
		marks = append(marks, w.say(w.ToWhom, squeeze(sayso.SafeLine(p))))
	}
	if t.Again != nil {
		marks = append(marks, squeeze(w.AskedAgain(t.Again.By, b.o.By.ID)))
	}
	if n := len(t.Passed); n > 0 {
		last := t.Passed[n-1]
		mark := w.say(w.Inbox.DelegatedTo, squeeze(sayso.SafeLine(last.To)))
		if last.To == b.o.By.ID {
			mark = w.say(w.Inbox.DelegatedBy, squeeze(sayso.SafeLine(last.From)))
		}
		marks = append(marks, mark)
	}
	return marks
}

// rowState says what became of an ask, or what the person did with it.
func (b *Inbox) rowState(t hub.Item) (string, lipgloss.Style) {
	w, l := b.o.Words, b.look
	switch {
	case !t.Open() && t.Outcome.Status == sayso.StatusAnswered:
		return "✓ " + w.wasClosed(t.Ask, t.Outcome.Settled()), l.ok
	case !t.Open():
		return "✗ " + w.wasClosed(t.Ask, t.Outcome.Settled()), l.dim
	case t.Held != nil:
		return "… " + b.heldBy(t.Ticket), l.ok
	case t.Snoozed != nil:
		return "… " + b.snoozeWords(t.Snoozed), l.dim
	case b.left[t.Address]:
		return "… " + w.Inbox.NotYet, l.dim
	}
	return "", l.plain
}

// groupName names the conversation whose first row this is.
func (b *Inbox) groupName(rows []hub.Item, at int) string {
	n := 0
	for _, r := range rows {
		if r.Address.Conversation == rows[at].Address.Conversation {
			n++
		}
	}
	name := squeeze(sayso.SafeLine(rows[at].Address.Conversation))
	if sayso.Blank(name) {
		name = b.o.Words.Inbox.NoConversation
	}
	return "▾ " + name + " · " + b.o.Words.number(n)
}

// mark is the initial of the agent on a hue of its name, or the box in which it is
// selected. The initial says the same without colour.
func (b *Inbox) mark(t hub.Item) string {
	if kind, on := b.picks.of(t); kind {
		return map[bool]string{true: b.look.chosen.Render("[x]"), false: "[ ]"}[on]
	}
	name := t.Ask.Origin.ClaimedName()
	initial := "?"
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			initial = strings.ToUpper(string(r))
			break
		}
	}
	if columns(initial) != 1 {
		initial = pad(cut(initial, 2), 2)
		return agentStyle(name).Render(" " + initial)
	}
	return agentStyle(name).Render(" " + initial + " ")
}

// agentStyle is a light letter on a dark ground in a hue that depends on the name.
func agentStyle(name string) lipgloss.Style {
	h := fnv.New32a()
	h.Write([]byte(name))
	return lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("#FFFFFF")).Background(hue(float64(h.Sum32()%24) * 15))
}

// hue is a ground of so many degrees on which white letters can be read.
func hue(degrees float64) rgb {
	part := func(n float64) uint8 {
		k := math.Mod(n+degrees/30, 12)
		const light, strong = 0.30, 0.45 * 0.30
		return uint8(255 * (light - strong*max(-1, min(k-3, 9-k, 1))))
	}
	return rgb{part(0), part(8), part(4)}
}

// rgb is a colour.
type rgb [3]uint8

// RGBA makes it one of image/color.
func (c rgb) RGBA() (r, g, b, a uint32) {
	return uint32(c[0]) * 0x101, uint32(c[1]) * 0x101, uint32(c[2]) * 0x101, 0xffff
}
