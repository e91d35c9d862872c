package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso/hub"
)

const (
	attendEvery = 20 * time.Second // how often it is told that the person is at an ask
	awayAfter   = time.Minute      // without a key, the person looks elsewhere
	alertEvery  = 10 * time.Second // at most: many questions may come at once
)

// attend tells that the person is at the ask on screen. A key that is dropped, because
// the dialog has just appeared, was typed all the same.
func (m *Model) attend() tea.Cmd {
	f, now := m.form(), m.o.Now()
	if f == nil || m.o.Attending == nil || f.closed != nil || now.Sub(f.attended) < attendEvery {
		return nil
	}
	f.attended = now
	return func() tea.Msg { m.o.Attending(f.ask); return nil }
}

// presence is what an inbox knows of the person before it.
type presence struct {
	blurred bool      // the window is not the one in front
	key     time.Time // when the last one was pressed
	alerted time.Time // when it last made itself noticed
	listed  bool      // the person has seen what waited at first
	keys    int       // pressed
	active  int       // of them when the hub was told
	told    time.Time // when that was
}

// looks takes what the terminal says about the person.
func (b *Inbox) looks(msg tea.Msg) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		b.there.key = b.o.Now()
		b.there.keys++
	case tea.FocusMsg:
		b.there.blurred, b.there.key = false, b.o.Now()
	case tea.BlurMsg:
		b.there.blurred = true
	}
}

// alert makes itself noticed by a person who looks elsewhere: a question has come.
func (b *Inbox) alert() tea.Cmd {
	now := b.o.Now()
	looking := !b.there.blurred && now.Sub(b.there.key) < awayAfter
	if b.o.Alert == nil || looking || now.Sub(b.there.alerted) < alertEvery {
		return nil
	}
	what := b.o.Alert(b.count())
	if what == "" {
		return nil
	}
	b.there.alerted = now
	return tea.Raw(what)
}

// titled puts the number of questions into the title of the window, and nothing that an
// asker wrote.
func (b *Inbox) titled(v tea.View) tea.View {
	if b.o.Alert == nil {
		return v
	}
	v.ReportFocus = true
	v.WindowTitle = "sayso"
	if n := b.count(); n > 0 {
		v.WindowTitle = b.o.Words.say(b.o.Words.WindowTitle, n)
	}
	return v
}

// The terminal keeps the title of its window, and takes it back.
const pushTitle, popTitle = "\x1b[22;2t", "\x1b[23;2t"

// isActive tells the hub, once a minute, that the person does something: what they left
// until they are back waits again.
func (b *Inbox) isActive() tea.Cmd {
	now := b.o.Now()
	if b.calls.active == nil || b.there.keys == b.there.active || now.Sub(b.there.told) < time.Minute {
		return nil
	}
	b.there.active, b.there.told = b.there.keys, now
	return func() tea.Msg { b.calls.active(); return nil }
}

// active is who wants to know that the person is there.
type active interface {
	Active(ctx context.Context) error
}

// attending is who wants to know that the person is at an ask.
type attending interface {
	Attend(ctx context.Context, seen *hub.Ticket) error
}
