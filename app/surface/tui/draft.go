package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// draftPause is how long the person must have stopped typing before a draft is
// kept.
const draftPause = 400 * time.Millisecond

// drafts keeps the draft of one ask. Commands run side by side; the numbers see
// to it that an older draft never replaces a newer one.
type drafts struct {
	save func(*sayso.Ask, []sayso.Answer) error
	ask  *sayso.Ask

	changes int  // seen by Update
	safe    int  // the change that is kept, as far as Update knows
	waiting bool // a pause is under way
	sent    bool // what was typed is sent, and no longer a draft

	turn  chan struct{} // holds a token while a draft is saved
	saved int           // the change that was saved last, for who has the token
}

func newDrafts(a *sayso.Ask, save func(*sayso.Ask, []sayso.Answer) error) *drafts {
	return &drafts{save: save, ask: a, turn: make(chan struct{}, 1)}
}

type (
	loadedMsg struct {
		form    *form
		answers []sayso.Answer
		err     error
	}
	pausedMsg struct {
		form    *form
		changes int
	}
	keptMsg struct {
		form    *form
		changes int
		err     error
	}
)

// isSafe reports whether whoever keeps drafts has this one.
func (d *drafts) isSafe() bool { return d.save != nil && d.safe == d.changes }

// load fetches an earlier draft.
func (m *Model) load(f *form) tea.Cmd {
	if m.o.LoadDraft == nil {
		return nil
	}
	return func() tea.Msg {
		answers, err := m.o.LoadDraft(f.ask)
		return loadedMsg{f, answers, err}
	}
}

// changed keeps the draft soon if it is no longer what it was before.
func (m *Model) changed(f *form, before []sayso.Answer) tea.Cmd {
	d := f.drafts
	if d.save == nil || slices.EqualFunc(before, f.draft(), same) {
		return nil
	}
	d.changes++
	if d.waiting {
		return nil
	}
	d.waiting = true
	return m.pause(f)
}

func same(a, b sayso.Answer) bool {
	return a.QuestionID == b.QuestionID && a.Other == b.Other && a.Note == b.Note && a.Input == b.Input && slices.Equal(a.Selected, b.Selected)
}

func (m *Model) pause(f *form) tea.Cmd {
	return m.life.after(draftPause, pausedMsg{f, f.drafts.changes})
}

// paused keeps the draft if the person did stop.
func (m *Model) paused(msg pausedMsg) tea.Cmd {
	d := msg.form.drafts
	if d.changes != msg.changes {
		return m.pause(msg.form)
	}
	d.waiting = false
	return m.keep(msg.form)
}

// keep returns a command that saves the draft as it is now, or nil if that is not
// needed: an untouched form does not know what was kept before. A draft that was
// sent is no longer kept.
func (m *Model) keep(f *form) tea.Cmd {
	d := f.drafts
	if f.answeredHere() && !d.sent && (d.changes > 0 || f.restored) {
		d.sent = true
		d.changes++
	}
	if d.save == nil || d.isSafe() {
		return nil
	}
	n, answers := d.changes, f.draft()
	return func() tea.Msg {
		d.turn <- struct{}{}
		defer func() { <-d.turn }()
		if n <= d.saved {
			return nil
		}
		err := d.save(d.ask, answers)
		if err == nil {
			d.saved = n
		}
		return keptMsg{f, n, err}
	}
}

// kept takes what became of a draft, and leaves if the person waits for it.
func (m *Model) kept(msg keptMsg) tea.Cmd {
	f := msg.form
	leaving := f.saving || f.bar == discardBar && f.leave == sayso.StatusPending
	f.saving = false
	if msg.err != nil {
		f.notice = m.o.Words.say(m.o.Words.DraftNotKept, m.o.Words.trouble(msg.err))
		if leaving {
			f.bar, f.leave = discardBar, sayso.StatusPending
		}
		return nil
	}
	f.drafts.safe = max(f.drafts.safe, msg.changes)
	if leaving && f.drafts.isSafe() && !f.keepsSecrets() && f.outcome == nil {
		f.bar = noBar
		return m.finish(f, m.outcome(sayso.StatusPending))
	}
	return nil
}
