package tui

import (
	"slices"
	"sync"
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
	waiting bool // a pause is under way

	mu   sync.Mutex
	kept int
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
		form *form
		err  error
	}
)

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
	return pause(f)
}

func same(a, b sayso.Answer) bool {
	return a.QuestionID == b.QuestionID && a.Other == b.Other && a.Note == b.Note && slices.Equal(a.Selected, b.Selected)
}

func pause(f *form) tea.Cmd {
	n := f.drafts.changes
	return tea.Tick(draftPause, func(time.Time) tea.Msg { return pausedMsg{f, n} })
}

// paused keeps the draft if the person did stop.
func (m *Model) paused(msg pausedMsg) tea.Cmd {
	d := msg.form.drafts
	if d.changes != msg.changes {
		return pause(msg.form)
	}
	d.waiting = false
	return m.keep(msg.form)
}

// keep returns a command that saves the draft as it is now.
func (m *Model) keep(f *form) tea.Cmd {
	d := f.drafts
	if d.save == nil || d.changes == 0 && !(f.answeredHere() && f.restored) {
		return nil // an untouched form does not know what was kept before
	}
	d.changes++
	n, answers := d.changes, f.draft()
	return func() tea.Msg {
		d.mu.Lock()
		defer d.mu.Unlock()
		if n <= d.kept {
			return nil
		}
		d.kept = n
		return keptMsg{f, d.save(d.ask, answers)}
	}
}
