package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// secondMsg lets the seconds of what is held fall.
type secondMsg struct{ inbox *Inbox }

// seconds are how many are left, at least one.
func (b *Inbox) seconds(until time.Time) int {
	return max(int((until.Sub(b.o.Now())+time.Second-1)/time.Second), 1)
}

// running reports whether something on the screen is held.
func (b *Inbox) running() bool {
	now := b.o.Now()
	for _, g := range b.given {
		if g.until().After(now) {
			return true
		}
	}
	for _, t := range b.waiting {
		if t.Held != nil && t.Held.Until.After(now) {
			return true
		}
	}
	return false
}

// countDown ticks every second while something is held.
func (b *Inbox) countDown() tea.Cmd {
	if b.counting || !b.running() {
		return nil
	}
	b.counting = true
	return b.life.after(time.Second, secondMsg{b})
}

func (b *Inbox) second() tea.Cmd {
	b.counting = false
	return b.countDown()
}

// bar is the last line of the screen: what was sent, for how long it is held and how
// to undo it, or what a key came to.
func (b *Inbox) bar() string {
	w, l := b.o.Words, b.look
	width := min(b.width-1, 2*textMax) - 3
	offline := b.offline()
	if offline != "" {
		width -= columns(offline + " · ")
	}
	g := b.last()
	text, style, end := b.notice, l.warn, ""
	if b.sent {
		style = l.ok
		end = " · " + w.Sent
	}
	switch held := g != nil && g.until().After(b.o.Now()); {
	case held:
		end = " · " + w.say(w.SendsIn, b.seconds(g.until()))
		if text == "" || b.sent {
			text, style = g.text, l.ok
		} else { // it is about something else than what is held
			end = " · " + cut(g.text, max(width-columns(text), width/2)-columns(end)-20) + end
		}
	case !b.sent: // u is not about the notice
		g = nil
	}
	if g != nil && b.menu == nil {
		key := "u"
		if b.typing() {
			key = w.KeyUndo
		}
		end += " · " + key + " " + w.DoesUndo
	}
	switch {
	case text == "" && offline == "":
		return ""
	case text == "":
		return blank + l.warn.Render(offline)
	case offline != "":
		offline += " · "
	}
	return blank + l.warn.Render(offline) + style.Render(cut(text, width-columns(end))) + l.bold.Render(end)
}

// offline says that the inbox reconnects, where its title is not on the screen.
func (b *Inbox) offline() string {
	hidden := b.help != nil || b.menu != nil || b.batch != nil || b.past != nil || b.dialog != nil
	if b.live || !b.there.listed || b.panes() || !hidden {
		return ""
	}
	return "○ " + b.o.Words.Offline
}
