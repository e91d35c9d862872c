package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

func TestSurfaceDialog(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "terminal dialog", Virtual: true, Open: openDialog})
}

func TestSurfaceInbox(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "terminal inbox", Virtual: true, Open: openInbox})
}

// seat is a person at a terminal on which a dialog, or an inbox, runs as the
// command runs it.
type seat struct {
	*person
	w      *surfacetest.World
	size   terminal
	ahead  string
	end    context.CancelCauseFunc // of the program; nil: none runs
	over   chan struct{}
	dialog func() *Model // the dialog on the screen, if there is one
}

func newSeat(w *surfacetest.World) *seat {
	s := &seat{person: &person{t: w.T}, w: w, size: terminal{w: 80, h: 24}}
	w.Cleanup(func() {
		s.interrupt()
		time.Sleep(time.Minute) // in the bubble: what the program began runs out
	})
	return s
}

var here = sayso.Responder{Kind: sayso.ByPerson, ID: surfacetest.Who, Surface: "terminal"}

// start runs a program on a new terminal.
func (s *seat) start(run func(context.Context, *screen), seen func(tea.Model)) context.Context {
	away := s.faces(s.size)
	ctx, end := context.WithCancelCause(s.w.Context())
	s.end, s.over = end, make(chan struct{})
	over := s.over
	var once sync.Once
	on := &screen{out: s.person, width: func() int { return s.size.w }, options: append(s.options(s.size),
		func(p *tea.Program) { s.program = p },
		tea.WithFilter(func(m tea.Model, msg tea.Msg) tea.Msg { once.Do(func() { seen(m.(*program).Model) }); return msg }))}
	go func() { defer close(over); run(ctx, on) }()
	s.w.Cleanup(away)
	s.wait(0)
	for _, r := range s.ahead {
		s.program.Send(map[bool]tea.KeyPressMsg{true: {Code: tea.KeyEnter}, false: {Code: r, Text: string(r)}}[r == '\n'])
	}
	s.ahead = ""
	s.wait(2 * time.Second)
	return ctx
}

// interrupt ends the program from outside.
func (s *seat) interrupt() {
	if s.end != nil {
		s.end(errors.New("interrupted"))
		<-s.over
		s.end = nil
	}
}

func (s *seat) form() *form {
	s.wait(0)
	if m := s.dialog(); m != nil {
		return m.form()
	}
	return nil
}

// leaves goes away from a question and gives up what no hub keeps.
func (s *seat) leaves() {
	for range 4 { // out of the note and of own words, to the list, and away
		f := s.form()
		switch {
		case f == nil:
			return
		case f.bar == discardBar:
			s.slowly("y")
		default:
			s.slowly("esc")
		}
	}
}

// turns goes to a question.
func (s *seat) turns(question int) *sheet {
	f := s.form()
	for range f.pages() {
		if f.page != question {
			s.slowly("shift+tab")
		}
	}
	return f.sheets[question]
}

func (s *seat) chooses(question int, option string) {
	sh := s.turns(question)
	row := slices.IndexFunc(sh.q.Options, func(o sayso.Option) bool { return o.ID == option })
	if sh.focus != onList {
		s.slowly("esc")
	}
	for range 2 * len(sh.q.Options) {
		switch {
		case sh.cur < row:
			s.press("down")
		case sh.cur > row:
			s.press("up")
		}
	}
	if !sh.picked[row] {
		s.slowly("space")
	}
}

func (s *seat) writes(question int, text string) {
	if sh := s.turns(question); sh.focus == onList {
		s.slowly("0")
	}
	if strings.Contains(text, "\t") || len(text) > 500 { // the key of a tab would go to the next question
		s.pastes(text)
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			s.press("ctrl+j")
		}
		s.types(line)
	}
}

// sends presses Enter, and goes on with what is long.
func (s *seat) sends() {
	s.slowly("enter")
	if f := s.form(); f != nil && f.bar == longBar {
		s.slowly("y")
	}
}

// looks opens, scrolls and highlights everything.
func (s *seat) looks() string {
	all := []string{s.sees()}
	look := func(keys ...string) bool {
		s.press(keys...)
		now := s.sees()
		all = append(all, now)
		return now != all[len(all)-2]
	}
	f := s.form()
	if f == nil {
		return all[0]
	}
	for page := range f.sheets {
		sh := s.turns(page)
		opens := func() {
			if strings.Contains(s.sees(), "▸") {
				look("ctrl+o")
			}
			for look("pgdown") {
			}
		}
		opens()
		for range sh.q.Options {
			look("down")
			opens()
		}
		if sh.focus == onList {
			s.slowly("0")
		}
		look("end") // on own words: nothing is highlighted that Enter could take
	}
	s.turns(0)
	return strings.Join(all, "\n")
}

// hears is what the terminal says: the notice, or what is left when it is gone.
func (s *seat) hears() string {
	f := s.form()
	if f == nil {
		return squeeze(s.sees())
	}
	said := f.notice
	if f.bar != noBar {
		said += strings.Join(s.dialog().foot(f), " ")
	}
	if said != "" && !strings.Contains(squeeze(s.sees()), squeeze(said)[:min(len(squeeze(said)), 30)]) {
		s.t.Errorf("%q is not on\n%s", said, s.sees())
	}
	return said
}

// person are the functions that both surfaces have in common.
func (s *seat) usage() *surfacetest.Person {
	return &surfacetest.Person{
		Sees: s.sees, SeesAll: s.looks, Says: s.hears,
		Choose: s.chooses, Type: s.writes, Send: s.sends, Confirm: func() { s.slowly("y") },
		Decline: func() { s.slowly("ctrl+d") },
		Interrupt: func() {
			s.interrupt()
			s.wait(time.Second)
		},
		Away:  s.leaves,
		Ahead: func(keys string) { s.ahead = keys },
		Resize: func(w, h int) {
			s.size.w, s.size.h = w, h
			if s.end != nil {
				s.resizes(w, h)
			}
		},
		Numbers: true, Paged: true, Columns: 40,
	}
}

// openDialog shows every ask in a dialog of its own, which ends when the ask is
// closed elsewhere.
func openDialog(w *surfacetest.World) *surfacetest.Person {
	s := newSeat(w)
	in := w.Inbox("terminal")
	p := s.usage()
	p.Show = func(t *hub.Ticket) {
		s.interrupt()
		var m *Model
		s.dialog = func() *Model { return m }
		m = New([]*sayso.Ask{t.Ask}, &Options{
			By: here, Later: true,
			LoadDraft: func(*sayso.Ask) ([]sayso.Answer, error) {
				d, err := in.Draft(w.Context(), t)
				if err != nil {
					return nil, nil
				}
				return d.Answers, nil
			},
			Whole: func(*sayso.Ask) (*sayso.Ask, error) {
				a, _, err := hub.Whole(w.Context(), in, t)
				return a, err
			},
			SaveDraft: func(_ *sayso.Ask, answers []sayso.Answer) error {
				return in.SaveDraft(w.Context(), t, &hub.Draft{Answers: answers})
			},
			Send: func(_ *sayso.Ask, o *sayso.Outcome) (*sayso.Outcome, error) {
				_, err := in.Close(w.Context(), t, o)
				var lost *hub.ClosedError
				if errors.As(err, &lost) {
					return lost.Ticket.Outcome, nil
				}
				return nil, err
			},
		})
		ctx := s.start(func(ctx context.Context, on *screen) { _, _ = runDialog(ctx, m, on) }, func(tea.Model) {})
		end := s.end
		go func() {
			if closed, err := w.Hub.Wait(ctx, t.Address); err == nil {
				end(&sayso.SupersededError{Winner: closed.Outcome})
			}
		}()
	}
	p.Reopen = func(t *hub.Ticket) { s.leaves(); p.Show(t) }
	return p
}

// openInbox shows asks in the inbox.
func openInbox(w *surfacetest.World) *surfacetest.Person {
	s := newSeat(w)
	var box *Inbox
	s.dialog = func() *Model { return box.dialog }
	start := func() {
		s.start(func(ctx context.Context, on *screen) {
			_ = runInbox(ctx, w.Inbox("terminal"), &Options{By: here, Grace: -1}, on)
		},
			func(m tea.Model) { box = m.(*Inbox) })
	}
	start()
	p := s.usage()
	p.Ahead = func(keys string) {
		for _, r := range keys {
			s.program.Send(map[bool]tea.KeyPressMsg{true: {Code: tea.KeyEnter}, false: {Code: r, Text: string(r)}}[r == '\n'])
		}
	}
	p.Show = func(t *hub.Ticket) {
		if s.end == nil {
			start()
		}
		s.wait(time.Second)
		if box.shown != nil && box.shown.Address == t.Address {
			return
		}
		s.leaves()
		at := func(a hub.Address) int {
			return slices.IndexFunc(box.waiting, func(t *hub.Ticket) bool { return t.Address == a })
		}
		for at(box.cur) != at(t.Address) && at(t.Address) >= 0 {
			s.press(map[bool]string{true: "down", false: "up"}[at(box.cur) < at(t.Address)])
		}
		s.slowly("enter")
	}
	p.Reopen = func(t *hub.Ticket) {
		if s.end != nil {
			s.leaves()
		}
		p.Show(t)
	}
	p.Undo = func(*hub.Ticket) { s.slowly("u") }
	p.List = func() string { s.leaves(); return s.sees() }
	return p
}
