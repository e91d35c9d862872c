package tui

import (
	"fmt"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

type tickMsg struct {
	model *Model
	chain int
}

// tick lets ages grow and countdowns fall. It ends with the model, not a tick
// later.
func (m *Model) tick() tea.Cmd {
	chain, every := m.chain, 20*time.Second
	if f := m.form(); f != nil && !f.ask.Deadline.IsZero() {
		every = time.Second
	}
	return m.life.after(every, tickMsg{m, chain})
}

// life is how long a model has use for ticks.
type life struct {
	ended chan struct{}
	once  sync.Once
}

func newLife() *life { return &life{ended: make(chan struct{})} }

// end lets the ticks go.
func (l *life) end() { l.once.Do(func() { close(l.ended) }) }

// after returns a command that returns the message after a while.
func (l *life) after(d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-l.ended:
			return nil
		}
	}
}

func (m *Model) ticked() tea.Cmd {
	f := m.form()
	if f == nil {
		return nil
	}
	if m.o.Expire && m.overdue(f) && !f.touched && !f.busy() && f.closed == nil {
		f.outcome = m.expired(f)
		return m.closed(f)
	}
	return m.tick()
}

func (m *Model) overdue(f *form) bool {
	return !f.ask.Deadline.IsZero() && !m.o.Now().Before(f.ask.Deadline)
}

// expired is nobody's answer: the asker's own default, if one was declared.
func (m *Model) expired(f *form) *sayso.Outcome {
	o := m.outcome(sayso.StatusExpired)
	o.By = sayso.Responder{Kind: sayso.ByPolicy, Surface: m.o.By.Surface}
	o.Answers = f.ask.OnExpiry.Default
	return o
}

// age says how long ago something was.
func (w *Catalogue) age(d time.Duration) string { return w.Ago(d) }

// countdown says how much time is left: to the second in the last hour.
func (w *Catalogue) countdown(d time.Duration) string {
	switch {
	case d <= 0:
		return w.Overdue
	case d < time.Hour:
		d = d.Round(time.Second)
		return w.say(w.TimeLeft, fmt.Sprintf("%d:%02d", int(d/time.Minute), int(d%time.Minute/time.Second)))
	case d < 48*time.Hour:
		return w.say(w.TimeLeft, w.say(w.Times.Hours, int(d.Round(time.Hour)/time.Hour)))
	}
	const day = 24 * time.Hour
	return w.say(w.TimeLeft, w.say(w.Times.Days, int(d.Round(day)/day)))
}
