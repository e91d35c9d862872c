package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// batch is a page with several approvals, each of them whole, and one decision.
type batch struct {
	tickets []*hub.Ticket
	asks    map[hub.Address]*sayso.Ask // with everything that is stored beside them
	err     string
	scroll  scrolling
	act     sayso.Act // chosen; empty: nothing yet
	sending bool
	guard   guard
	drawn   []string
	width   int
}

type (
	wholeMsg struct {
		inbox *Inbox
		of    hub.Address
		ask   *sayso.Ask
		err   error
	}
	batchMsg struct {
		inbox *Inbox
		act   sayso.Act
		given *given
		err   error
	}
)

// beginBatch shows what is selected, and fetches what is stored beside it.
func (b *Inbox) beginBatch() tea.Cmd {
	b.batch = &batch{tickets: b.picks.all, asks: map[hub.Address]*sayso.Ask{}}
	b.batch.guard.begin(b.o.Now(), b.o.Guard)
	var cmds []tea.Cmd
	for _, t := range b.batch.tickets {
		if stored, _ := t.Ask.Approval.Unseen(); len(stored) == 0 {
			b.batch.asks[t.Address] = t.Ask
			continue
		}
		cmds = append(cmds, func() tea.Msg {
			a, err := b.calls.whole(t)
			return wholeMsg{b, t.Address, a, err}
		})
	}
	return tea.Batch(cmds...)
}

func (s *batch) fetched(msg wholeMsg) {
	if s.drawn = nil; msg.err != nil {
		s.err = msg.inbox.o.Words.trouble(msg.err)
		return
	}
	s.asks[msg.of] = msg.ask
}

// pressBatch takes a key on the page of several approvals.
func (b *Inbox) pressBatch(k string) tea.Cmd {
	s, w := b.batch, b.o.Words
	switch {
	case s.sending || s.guard.drops(b.o.Now(), b.o.Guard):
	case k == "esc" || k == "q" || k == "ctrl+c":
		b.batch = nil
	case k == "1":
		s.act = sayso.ActAllow
	case k == "2":
		s.act = sayso.ActDeny
	case k == "enter" && s.act == "":
		b.notice, b.sent = w.ChooseFirst, false
	case k == "enter" && s.act == sayso.ActAllow && s.err != "":
		b.notice, b.sent = w.say(w.NotOpened, s.err), false
	case k == "enter" && s.act == sayso.ActAllow && len(s.asks) < len(s.tickets):
		b.notice, b.sent = w.StillOpening, false
	case k == "enter" && s.act == sayso.ActAllow && !s.scroll.end:
		b.notice, b.sent = w.say(w.ReadFirst, w.PageDown, w.PageDown, w.KeyEnd), false
	case k == "enter":
		s.sending = true
		return b.decide(s)
	default:
		s.scroll.press(k)
	}
	return nil
}

// decide gives each of them its outcome.
func (b *Inbox) decide(s *batch) tea.Cmd {
	act, tickets, by, now := s.act, s.tickets, b.o.By, b.o.Now()
	return func() tea.Msg {
		msg := batchMsg{inbox: b, act: act, given: &given{}}
		for _, t := range tickets {
			p := t.Ask.Approval
			a := sayso.Answer{QuestionID: t.Ask.Questions[0].ID}
			if act == sayso.ActAllow {
				a.Selected = []string{p.AllowOnce().ID}
				a.Opened, _ = p.Unseen()
			} else {
				a.Selected = []string{p.DenyOnce().ID}
			}
			closed, err := b.give(t, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{a}, By: by, At: now}, false)
			if err != nil {
				msg.err = err
				continue
			}
			msg.given.tickets = append(msg.given.tickets, closed)
		}
		return msg
	}
}

// batchDone says what became of it, and goes on.
func (b *Inbox) batchDone(msg batchMsg) tea.Cmd {
	w, n := b.o.Words, len(msg.given.tickets)
	if msg.err != nil {
		if b.batch != nil {
			b.batch.sending = false
		}
		defer func() { b.say(w.say(w.NotAll, w.trouble(msg.err))) }()
	}
	if n == 0 {
		return nil
	}
	first := msg.given.tickets[0]
	b.batch, b.picks = nil, picks{}
	text := w.count(w.AllowedN, n)
	if msg.act == sayso.ActDeny {
		text = w.count(w.DeniedN, n)
	}
	b.notice, b.sent = "✓ "+text, msg.err == nil
	return b.goOn(first, msg.given, nil)
}

// batchLines draws every approval whole, and below them the decision.
func (b *Inbox) batchLines(width, height int) []string {
	s, w, l := b.batch, b.o.Words, b.look
	if s.drawn == nil || s.width != width {
		s.drawn, s.width = b.drawBatch(width), width
	}
	edge := min(width-1, textMax)
	n := len(s.tickets)
	foot := []string{""}
	for i, o := range []struct {
		act  sayso.Act
		text string
	}{{sayso.ActAllow, w.count(w.Inbox.AllowAll, n)}, {sayso.ActDeny, w.count(w.Inbox.DenyAll, n)}} {
		mark, style := l.dim.Render("○"), l.plain
		if s.act == o.act {
			mark, style = l.chosen.Render("●"), l.chosen
		}
		foot = append(foot, blank+l.dim.Render(strconv.Itoa(i+1))+" "+mark+" "+style.Render(cut(o.text, edge-7)))
	}
	foot = append(foot, b.hintsIn([]hint{{"1-2", w.DoesChoose}, {w.KeyEnter, w.DoesSend}, {w.PageDown, w.DoesScroll}, {w.KeyEsc, w.DoesBack}}, edge, 2)...)
	return append(s.scroll.view(s.drawn, max(height-len(foot), 3), l, w), foot...)
}

func (b *Inbox) drawBatch(width int) []string {
	w, l := b.o.Words, b.look
	var lines []string
	for i, t := range b.batch.tickets {
		a := b.batch.asks[t.Address]
		if a == nil {
			a = t.Ask
		}
		m := New([]*sayso.Ask{a}, &b.o)
		m.look, m.width, m.height = l, width, 1<<20
		m.resize()
		f := m.forms[0]
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, blank+l.bold.Render(w.say(w.OneOf, i+1, len(b.batch.tickets))))
		lines = append(lines, m.identity(t.Ask.Origin, b.when(t), m.column(nil), true)...)
		for _, mark := range m.marks(f) {
			lines = append(lines, prefix(blank, wrap(l.warn.Render(mark), m.column(nil)-3))...)
		}
		for _, line := range m.askPage(f, f.sheets[0]).lines {
			lines = append(lines, line.text)
		}
	}
	return lines
}
