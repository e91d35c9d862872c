package tui

import (
	"strconv"

	"github.com/saysohq/sayso"
)

// foot says what the last key came to, and what the next ones can do.
func (m *Model) foot(f *form) []string {
	w, l := m.o.Words, m.look
	edge := m.column(nil)
	tall := m.height >= tallFrom
	if m.o.passive {
		return prefix(blank, flow([]string{l.bold.Render(w.KeyEnter) + " " + l.dim.Render(w.DoesOpen)}, "", edge-3))
	}
	var lines []string
	if tall {
		lines = append(lines, "")
	}
	most := 2
	if tall {
		most = 3
	}
	if f.notice != "" {
		for _, t := range firstLines(wrap(f.notice, edge-3), most, edge-3) {
			lines = append(lines, blank+l.warn.Render(t))
		}
	}
	yes := func(does string) []hint { return []hint{{"y", does}, {w.KeyEsc, w.Back}} }
	switch {
	case f.sending != nil:
		return append(lines, blank+l.dim.Render(w.Sending))
	case f.saving:
		return append(lines, blank+l.dim.Render(w.Saving))
	case f.bar == discardBar:
		n := f.entered()
		does := map[sayso.Status]string{sayso.StatusPending: w.LeaveYes, sayso.StatusCancelled: w.CancelYes, sayso.StatusDeclined: w.DeclineYes}[f.leave]
		return append(lines, m.choices(w.count(w.Discard, n), yes(does))...)
	case f.bar == longBar:
		n := 0
		for _, s := range f.sheets {
			n = max(n, s.longest())
		}
		return append(lines, m.choices(w.say(w.LongAnswer, w.number(n)), []hint{{"Y", w.LongYes}, {"n", w.Back}})...)
	case f.bar == dangerBar:
		return append(lines, m.choices("! "+w.DangerAsk, yes(w.DangerYes))...)
	}
	return append(lines, m.help(f, tall)...)
}

type hint struct{ key, does string }

// choices draws a question of ours with its answers, one a line.
func (m *Model) choices(title string, hints []hint) []string {
	l := m.look
	edge := m.column(nil)
	var lines []string
	for _, t := range wrap(title, edge-3) {
		lines = append(lines, blank+l.warn.Bold(true).Render(t))
	}
	wide := 0
	for _, h := range hints {
		wide = max(wide, len([]rune(h.key)))
	}
	for _, h := range hints {
		text := firstLines(wrap(h.does, edge-3-wide-2), 2, edge-3-wide-2)
		lines = append(lines, indent(blank+l.bold.Render(pad(h.key, wide))+"  ", text)...)
	}
	return lines
}

// help names the keys that work here, the most important first. The ways out come
// last, and stay; others are left out where there is no room.
func (m *Model) help(f *form, tall bool) []string {
	l, w := m.look, m.column(nil)-3
	most := 1
	switch {
	case tall && w < 60:
		most = 3
	case tall:
		most = 2
	}
	hints, ways := m.hints(f)
	for {
		var items []string
		for _, h := range append(hints[:len(hints):len(hints)], ways...) {
			items = append(items, l.bold.Render(h.key)+" "+l.dim.Render(h.does))
		}
		lines := flow(items, l.dim.Render(" · "), w)
		switch {
		case len(lines) <= most:
			return prefix(blank, lines)
		case len(hints) > 1:
			hints = hints[:len(hints)-1]
		case len(ways) > 1:
			ways = ways[1:]
		default:
			return prefix(blank, lines[:most])
		}
	}
}

// ways are the ways out.
func (m *Model) ways(f *form) []hint {
	w := m.o.Words
	switch s := f.sheet(); {
	case m.o.amends:
		return []hint{{w.KeyEsc, w.DoesToInbox}}
	case m.o.inbox && s != nil && s.focus != onList: // letters are for the field
		return []hint{{w.KeyDecline, w.DoesDecline}, {w.KeyCancel, w.DoesCancel}, {w.KeyEsc, w.DoesToInbox}}
	case m.o.inbox:
		return []hint{{w.KeyCancel, w.DoesCancel}, {"x", w.DoesDecline}, {"e", w.DoesLater}, {"?", w.DoesKeys}, {w.KeyEsc, w.DoesToInbox}}
	}
	if m.o.Later {
		return []hint{{w.KeyDecline, w.DoesDecline}, {w.KeyCancel, w.DoesCancel}, {w.KeyEsc, w.DoesLater}}
	}
	return []hint{{w.KeyDecline, w.DoesDecline}, {w.KeyEsc, w.DoesCancel}}
}

// hints returns the keys that work here, and the ways out.
func (m *Model) hints(f *form) (hints, ways []hint) {
	w := m.o.Words
	s := f.sheet()
	changes := hint{"1-" + digit(len(f.sheets)), w.DoesChange}
	if len(f.sheets) == 1 {
		changes = hint{w.KeyShiftTab, w.DoesBack}
	}
	switch {
	case f.closed != nil:
		return []hint{{w.KeyAny, w.DoesGoOn}}, nil
	case s == nil && f.answered() > 0 && f.answered() < len(f.sheets):
		return []hint{{w.KeyEnter, w.DoesOpenOnes}, {"s", w.DoesSendPart}, changes}, m.ways(f)
	case s == nil:
		return []hint{{w.KeyEnter, w.DoesSend}, changes}, m.ways(f)
	case s.opened && s.manual:
		return []hint{{w.PageDown, w.DoesScroll}, {w.KeyEnd, w.DoesToEnd}, {"↑↓", w.DoesMove}, {w.KeyOpen, w.DoesShorten}}, m.ways(f)
	case s.focus == onNote:
		return []hint{{w.KeyEnter, w.DoesKeepNote}, {w.KeyNewLine, w.DoesNewLine}}, nil
	case s.focus == onEdit:
		return []hint{{w.KeyEnter, w.DoesKeepEdit}, {w.KeyNewLine, w.DoesNewLine}, {w.KeyRestore, w.DoesRestore}}, nil
	case s.focus == onFilter:
		return []hint{{w.KeyEnter, w.DoesToList}, {w.KeyEsc, w.DoesShowAll}}, nil
	case s.focus == onWords:
		return m.wordsHints(f, s)
	}
	number, does := "1-"+digit(len(s.q.Options)), w.DoesChoose
	if m.simple(f, s) {
		does = w.DoesAnswer
	}
	hints = []hint{sayso.ByKind(s.q, hint{}, hint{number, does}, hint{w.KeySpace + " " + number, w.DoesTick}), {w.KeyEnter, w.DoesConfirm}, {"↑↓", w.DoesMove}}
	hints = append(hints, m.inboxHints(f)...)
	if f.pages() > 1 {
		hints = append(hints, hint{w.KeyTab, w.DoesNext})
	}
	if s.approval.editable() {
		hints = append(hints, hint{"c", w.DoesEdit})
	}
	hints = append(hints, hint{"n", w.DoesNote})
	if len(s.q.Options) >= filterFrom {
		hints = append(hints, hint{"/", w.DoesFilter})
	}
	return hints, m.ways(f)
}

// inboxHints are the keys of an inbox that depend on the ask.
func (m *Model) inboxHints(f *form) []hint {
	w := m.o.Words
	switch {
	case !m.o.inbox || m.o.amends:
		return nil
	case len(f.together) > 0:
		return []hint{{"b", w.DoesAlone}}
	case f.same > 0:
		return []hint{{"b", w.say(w.DoesTogether, f.same+1)}}
	case f.sheets[0].approval != nil:
		return []hint{{"b", w.DoesPick}}
	}
	return nil
}

func (m *Model) wordsHints(f *form, s *sheet) (hints, ways []hint) {
	w := m.o.Words
	hints = []hint{{w.KeyEnter, w.DoesConfirm}}
	if !s.q.Secret {
		hints = append(hints, hint{w.KeyNewLine, w.DoesNewLine})
	}
	if len(s.words.history) > 0 && !s.walked && (s.words.value() == "" || s.words.recalled >= 0) {
		hints = append(hints, hint{"↑", w.DoesRecall})
	}
	_, path := s.path()
	switch {
	case path && m.o.Complete != nil:
		hints = append(hints, hint{w.KeyTab, w.DoesComplete})
	case f.pages() > 1:
		hints = append(hints, hint{w.KeyTab, w.DoesNext})
	}
	if s.free() {
		return hints, m.ways(f)
	}
	return hints, []hint{{w.KeyEsc, w.DoesToList}}
}

func digit(n int) string { return strconv.Itoa(min(n, 9)) }

// number writes a number in groups of three.
func (w *Catalogue) number(n int) string { return w.Number(n) }
