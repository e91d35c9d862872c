package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// Model is the dialog: one ask, or several one after another. It is a tea.Model;
// a host with a program of its own forwards messages to Update, draws View, and
// acts on [ClosedMsg] and [DoneMsg]. The model never quits the program.
//
// A host that gives it only a part of the screen sends a tea.WindowSizeMsg with
// the size of that part.
type Model struct {
	o     Options
	forms []*form
	at    int // the form on screen; len(forms) when all are closed

	width, height int
	look          look
	frame         frame

	// What was drawn before: drawing it at every key would be felt.
	rendered map[rendering][]string
	askPages map[askDrawing]*page
	options  map[option]*drawnOption

	chain int // of ticks
	life  *life
}

var _ tea.Model = (*Model)(nil)

// ClosedMsg tells that the person is done with an ask, or somebody else is.
type ClosedMsg struct {
	Ask     *sayso.Ask
	Outcome *sayso.Outcome // pending: left for later
}

// DoneMsg tells that the person is done with the [Model], or with the [Inbox].
type DoneMsg struct{ Model tea.Model }

// ClosedElsewhereMsg tells the model that an ask was closed elsewhere. The dialog
// says by whom and with what; what was typed stays to be read and copied.
type ClosedElsewhereMsg struct {
	AskID   string
	Outcome *sayso.Outcome
}

// New returns a dialog for the asks. It normalizes copies of them: an outcome
// speaks of the ids that Normalize gives.
func New(asks []*sayso.Ask, o *Options) *Model {
	m := &Model{o: o.withDefaults(), width: 80, height: 24, look: newLook(true), life: newLife()}
	for _, a := range asks {
		m.forms = append(m.forms, sayso.ByAskKind(a, newForm, newApproval)(a, &m.o))
	}
	m.resize()
	m.draw()
	return m
}

// Init asks the terminal for its background and starts the guard.
func (m *Model) Init() tea.Cmd {
	if len(m.forms) == 0 {
		return m.done
	}
	return tea.Batch(tea.RequestBackgroundColor, m.show())
}

// Outcomes returns what became of the asks, in their order; nil where nothing
// has yet.
func (m *Model) Outcomes() []*sayso.Outcome {
	out := make([]*sayso.Outcome, len(m.forms))
	for i, f := range m.forms {
		out[i] = f.outcome
	}
	return out
}

// Draft returns what is typed and not sent into the i-th ask, without secrets;
// nil where there is nothing.
func (m *Model) Draft(i int) []sayso.Answer { return m.forms[i].draft() }

// Done reports whether the person is done with every ask.
func (m *Model) Done() bool { return m.at == len(m.forms) }

func (m *Model) done() tea.Msg { return DoneMsg{m} }

// form returns what is on screen, or nil.
func (m *Model) form() *form {
	if m.Done() {
		return nil
	}
	return m.forms[m.at]
}

// show lets the form on screen appear: keys are not meant for it yet.
func (m *Model) show() tea.Cmd {
	f := m.form()
	f.guard.begin(m.o.Now(), m.o.Guard)
	m.chain++ // the ticks of the form before end
	return tea.Batch(m.load(f), m.fetch(f), m.tick())
}

// next goes to the next form that is still open.
func (m *Model) next() tea.Cmd {
	for m.at < len(m.forms) && m.forms[m.at].outcome != nil {
		m.at++
	}
	if m.Done() {
		m.life.end()
		return m.done
	}
	return m.show()
}

// resize fits the text fields to the screen and the colours.
func (m *Model) resize() {
	m.rendered, m.askPages, m.options = map[rendering][]string{}, map[askDrawing]*page{}, map[option]*drawnOption{}
	for _, f := range m.forms {
		for _, s := range f.sheets {
			m.fit(s)
		}
	}
}

// fit gives the fields of a question the width that they have now.
func (m *Model) fit(s *sheet) {
	w := m.column(s) - s.labelAt()
	s.words.text.resize(w)
	s.note.text.resize(w)
	if s.approval != nil && s.approval.edit != nil {
		s.approval.edit.text.resize(w)
	}
}

// owns reports whether a message from a command is about a form of this model.
func (m *Model) owns(f *form) bool { return slices.Contains(m.forms, f) }

// guard drops keys for a while after something appeared.
type guard struct{ until, latest time.Time }

func (g *guard) begin(now time.Time, d time.Duration) {
	g.until, g.latest = now.Add(d), now.Add(4*d)
}

// drops reports whether a key at this time is one that was meant for something
// else. Whoever types on into the dialog does so in a run of keys.
func (g *guard) drops(now time.Time, d time.Duration) bool {
	if !now.Before(g.until) {
		return false
	}
	g.until = now.Add(d)
	if g.until.After(g.latest) {
		g.until = g.latest
	}
	return true
}
