package tui

import (
	"strconv"
	"strings"
)

// foot says what the last key came to, and what the next ones can do.
func (m *Model) foot(f *form) []string {
	w, l := m.o.Words, m.look
	edge := m.column(nil)
	lines := []string{""}
	warn := func(text string) {
		for i, t := range wrap(text, edge-3) {
			if i < 3 {
				lines = append(lines, blank+l.warn.Render(t))
			}
		}
	}
	if n := f.longest(); n > softLimit {
		warn(w.say(w.LongAnswer, w.number(n)))
	}
	switch {
	case f.sending:
		return append(lines, blank+l.dim.Render(w.Sending))
	case f.bar == leaveBar:
		return append(lines, m.choices(w.LeaveTitle, []hint{{"l", w.Later}, {"d", w.Decline}, {w.KeyEsc, w.Back}})...)
	case f.bar == discardBar:
		n := f.answered()
		return append(lines, m.choices(w.say(w.Discard.of(n), n), []hint{{"y", w.DeclineYes}, {w.KeyEsc, w.Back}})...)
	case f.notice != "":
		warn(f.notice)
	case f.news != "":
		lines = append(lines, blank+l.ok.Render(cut(f.news, edge-3)))
	}
	help := m.help(f)
	return append(lines, help[1:]...)
}

// longest is the length of the longest text in sight.
func (f *form) longest() int {
	s := f.sheet()
	if s == nil {
		return 0
	}
	return max(s.words.length(), s.note.length())
}

type hint struct{ key, does string }

// choices draws a question of ours with its answers, one a line.
func (m *Model) choices(title string, hints []hint) []string {
	l := m.look
	lines := []string{blank + l.warn.Bold(true).Render(title)}
	wide := 0
	for _, h := range hints {
		wide = max(wide, len([]rune(h.key)))
	}
	for _, h := range hints {
		text := wrap(h.does, m.column(nil)-3-wide-2)
		lines = append(lines, indent(blank+l.bold.Render(pad(h.key, wide))+"  ", text)...)
	}
	return lines
}

// help names the keys that work here, at most two lines of them.
func (m *Model) help(f *form) []string {
	l := m.look
	var items []string
	for _, h := range m.hints(f) {
		items = append(items, l.bold.Render(h.key)+" "+l.dim.Render(h.does))
	}
	sep, w := l.dim.Render(" · "), m.column(nil)-3
	lines := flow(items, sep, w)
	for len(lines) > 2 && len(items) > 2 { // the way out comes last, and stays
		items = append(items[:len(items)-2], items[len(items)-1])
		lines = flow(items, sep, w)
	}
	return append([]string{""}, prefix(blank, lines)...)
}

func (m *Model) hints(f *form) []hint {
	w := m.o.Words
	s := f.sheet()
	leave := hint{w.KeyEsc, w.DoesLeave}
	switch {
	case f.folded != nil:
		return []hint{{w.KeyAny, w.DoesGoOn}}
	case s == nil && f.answered() > 0 && f.answered() < len(f.sheets):
		return []hint{{w.KeyEnter, w.DoesOpenOnes}, {"s", w.DoesSendPart}, {"1-" + digit(len(f.sheets)), w.DoesChange}, leave}
	case s == nil:
		return []hint{{w.KeyEnter, w.DoesSend}, {"1-" + digit(len(f.sheets)), w.DoesChange}, {w.KeyShiftTab, w.DoesBack}, leave}
	case s.focus == onNote:
		return []hint{{w.KeyEnter, w.DoesKeepNote}, {w.KeyNewLine, w.DoesNewLine}}
	case s.focus == onFilter:
		return []hint{{w.KeyEnter, w.DoesToList}, {w.KeyEsc, w.DoesShowAll}}
	case s.focus == onWords:
		return m.wordsHints(f, s)
	}
	hints := []hint{{"↑↓", w.DoesMove}, {"1-" + digit(len(s.q.Options)), w.DoesChoose}}
	if s.q.Multi {
		hints[1] = hint{w.KeySpace + " 1-" + digit(len(s.q.Options)), w.DoesTick}
	}
	hints = append(hints, hint{w.KeyEnter, w.DoesConfirm}, hint{"n", w.DoesNote})
	if len(s.q.Options) >= filterFrom {
		hints = append(hints, hint{"/", w.DoesFilter})
	}
	if f.pages() > 1 {
		hints = append(hints, hint{w.KeyTab, w.DoesNext})
	}
	return append(hints, leave)
}

func (m *Model) wordsHints(f *form, s *sheet) []hint {
	w := m.o.Words
	hints := []hint{{w.KeyEnter, w.DoesConfirm}}
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
		return append(hints, hint{w.KeyEsc, w.DoesLeave})
	}
	return append(hints, hint{w.KeyEsc, w.DoesToList})
}

func digit(n int) string { return strconv.Itoa(min(n, 9)) }

// number writes a number in groups of three.
func (w *Catalogue) number(n int) string {
	s := strconv.Itoa(n)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteString(w.Thousands)
		}
		b.WriteRune(r)
	}
	return b.String()
}
