package tui

import (
	"encoding/json"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
)

// approval is what the person has done to an approval beside choosing.
type approval struct {
	of     *sayso.Approval
	stored []string // what stands beside the ask, by hash
	state  opening
	why    string // it could not be opened

	// The input as the person changes it: the command, or all of it where there is
	// none. Nil: they have not begun.
	edit   *field
	member string // of the input that is changed; "": all of it
	was    string
}

// opening is how far what is stored beside an ask has come.
type opening int

const (
	notOpened opening = iota // nothing is stored beside the ask
	isOpening
	isOpened
	cannotOpen
)

// newApproval returns the form of an approval.
func newApproval(a *sayso.Ask, o *Options) *form {
	f := newForm(a, o)
	p := f.ask.Approval
	if p == nil { // it says that it is one
		return f
	}
	s := f.sheets[0]
	s.approval = &approval{of: p}
	s.approval.stored, _ = p.Unseen()
	return f
}

type openedMsg struct {
	form *form
	ask  *sayso.Ask
	err  error
}

// fetch fetches what is stored beside the ask.
func (m *Model) fetch(f *form) tea.Cmd {
	p := f.sheets[0].approval
	if p == nil || len(p.stored) == 0 || p.state != notOpened {
		return nil
	}
	p.state = isOpening
	m.resize()
	return func() tea.Msg {
		if m.o.Whole == nil {
			a, err := f.ask.WithContent(nil)
			return openedMsg{f, a, err}
		}
		a, err := m.o.Whole(f.ask)
		return openedMsg{f, a, err}
	}
}

// fetched shows all of it in the place of its beginning and its end.
func (m *Model) fetched(msg openedMsg) {
	s := msg.form.sheets[0]
	defer m.resize() // it is drawn anew
	if msg.err != nil {
		s.approval.state, s.approval.why = cannotOpen, m.o.Words.trouble(msg.err)
		return
	}
	s.approval.state = isOpened
	s.q.Body = msg.ask.Questions[0].Body
	delete(s.seen, part{kind: theAsk})
}

// allows reports whether what is chosen lets something run that the person has to
// look at first. To deny, and to allow unseen, takes no looking.
func (p *approval) allows(s *sheet) bool {
	for i, picked := range s.picked {
		if o := p.of.Offer(s.q.Options[i].ID); picked && o != nil && o.Act == sayso.ActAllow {
			return true
		}
	}
	return false
}

// missing says that what is allowed is not here yet, or cannot be had.
func (m *Model) missing(s *sheet) string {
	p, w := s.approval, m.o.Words
	switch {
	case p == nil || !p.allows(s):
	case p.state == isOpening:
		return w.StillOpening
	case p.state == cannotOpen:
		return w.say(w.NotOpened, p.why)
	}
	return ""
}

// refuses says why an answer to an approval cannot be sent, if it cannot.
func (m *Model) refuses(f *form) string {
	p, w := f.sheets[0].approval, m.o.Words
	if p == nil {
		return ""
	}
	if p.edit != nil && p.edit.value() != p.was && p.input() == "" {
		return w.NotInput
	}
	if err := f.ask.Check(m.answer(f)); err != nil {
		return w.say(w.NotSent, sayso.RenderError(err))
	}
	return ""
}

// decided adds to an answer what only approvals have.
func (p *approval) decided(s *sheet, a *sayso.Answer) {
	if !p.allows(s) {
		return
	}
	if p.state == isOpened && s.seen[part{kind: theAsk}] {
		a.Opened = p.stored
	}
	a.Input = p.input()
}

// input returns the input as the person changed it, or "".
func (p *approval) input() string {
	if p.edit == nil || p.edit.value() == p.was {
		return ""
	}
	if p.member == "" {
		if sayso.CheckJSON([]byte(p.edit.value())) != nil {
			return ""
		}
		return p.edit.value()
	}
	input, err := p.of.EditedInput(p.member, p.edit.value())
	if err != nil {
		return ""
	}
	return input
}

// changed reports whether the person has changed the input.
func (p *approval) changed() bool { return p != nil && p.edit != nil && p.edit.value() != p.was }

// editable reports whether an offer takes a changed input, and there is one that a field
// shows as it is: the field is made for what the person types, and this is the agent's.
func (p *approval) editable() bool {
	if p == nil || p.of.Input.Stored {
		return false
	}
	_, text, ok := p.of.Editable()
	return ok && sayso.SafeText(text) == text && columns(text) == ansi.StringWidth(text)
}

// begin puts what can be changed into a field.
func (p *approval) begin() {
	if p.edit != nil {
		return
	}
	p.member, p.was, _ = p.of.Editable()
	p.edit = newField("", false, nil)
	p.edit.set(p.was)
}

// restore puts a changed input back.
func (p *approval) restore(input string) {
	if input == "" || !p.editable() {
		return
	}
	p.begin()
	if p.member == "" {
		p.edit.set(input)
		return
	}
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal([]byte(input), &members) == nil && json.Unmarshal(members[p.member], &text) == nil {
		p.edit.set(text)
	}
}

// pressEdit takes a key in the field of the changed input.
func (m *Model) pressEdit(f *form, s *sheet, msg tea.KeyPressMsg) {
	switch msg.String() {
	case "enter", "esc", "tab", "shift+tab":
		s.focus = onList
		if s.cur == s.other() {
			s.highlight(-1)
		}
	case "ctrl+r":
		s.approval.edit.set(s.approval.was)
	default:
		if !m.comesIntoView(f, s) {
			s.approval.edit.press(msg)
		}
	}
}

// kindOf names what an approval is about, for lists.
func (w *Catalogue) kindOf(a *sayso.Ask) string {
	if a.Approval == nil {
		return ""
	}
	kind := string(a.Approval.Kind)
	if name := strings.Fields(w.ApprovalKinds); len(name) == len(sayso.ApprovalKinds()) {
		if i := slices.Index(sayso.ApprovalKinds(), a.Approval.Kind); i >= 0 {
			kind = name[i]
		}
	}
	return w.say(w.WantsPermission, kind)
}
