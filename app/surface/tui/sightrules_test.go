package tui

import (
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// act does one thing, and fails the test if that changed what was out of sight.
func (w *watcher) act(a action) {
	if a.size != nil {
		w.w, w.h = a.size.Width, a.size.Height
		w.m.Update(*a.size)
		w.screen()
		return
	}
	lines, cursor := w.screen()
	before := w.state()
	w.reviews(before, lines)
	if a.paste != "" {
		w.m.Update(tea.PasteMsg{Content: a.paste})
	} else {
		w.m.Update(keyOf(w.t, a.key))
	}
	switch out := w.m.Outcomes()[0]; {
	case out == nil:
		w.changed(a, before, w.state(), lines, cursor)
		return
	case out.Status == sayso.StatusAnswered:
		w.answers++
		w.sent(before, lines, out)
	}
	w.opens()
}

func shows(lines []string, text string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, text) })
}

// typing reports whether a text field is in sight: the cursor stands in a line of
// what is typed there, or in the one that invites to type.
func typing(lines []string, cursor *tea.Cursor, value, invites string, gutter int) bool {
	if cursor == nil || cursor.Y >= len(lines) {
		return false
	}
	l := []rune(lines[cursor.Y])
	text := string(l[min(gutter, len(l)):])
	if at := strings.IndexAny(text, "│╭╰▸"); at >= 0 { // a preview stands beside it
		text = text[:at]
	}
	text = strings.TrimSpace(text)
	if value == "" {
		return text != "" && strings.HasPrefix(invites, strings.TrimSuffix(text, "…"))
	}
	return strings.Contains(squeeze(value), squeeze(text))
}

// ownWordsRow is the row of own words, behind twenty options.
var ownWordsRow = regexp.MustCompile(`^ [ ❯] 0 [○●\[]`)

// changed checks what an action changed that sent nothing.
func (w *watcher) changed(a action, was, is state, lines []string, cursor *tea.Cursor) {
	fail := func(what string) {
		w.rt.Fatalf("%s, by %s, and it was out of sight:\n%s", what, a, strings.Join(lines, "\n"))
	}
	words := w.m.o.Words
	gutter := w.m.forms[0].sheets[0].labelAt()
	inText := typing(lines, cursor, was.words, words.TypeAnswer, gutter)
	pasted := a.paste != "" && slices.ContainsFunc(lines, ownWordsRow.MatchString)
	after, _ := w.screen()
	named := was.words != "" && is.words == "" && shows(after, words.TakenAsOption[:10]) // nothing is sent yet
	if was.words != is.words && !inText && !pasted && !named {
		fail("own words became " + cut(is.words, 30))
	}
	if was.note != is.note && !typing(lines, cursor, was.note, words.TypeNote, gutter) {
		fail("the note became " + is.note)
	}
	if was.filter != is.filter && is.filter != "" && (cursor == nil || !strings.Contains(lines[cursor.Y], "/ ")) {
		fail("the filter became " + is.filter)
	}
	for _, p := range is.picked {
		if !slices.Contains(was.picked, p) && !shows(lines, p) && !(named && shows(after, p)) {
			fail(p + " was chosen")
		}
	}
	for _, p := range was.picked { // something else may have taken its place
		if !slices.Contains(is.picked, p) && w.ask.Questions[0].Several() && !shows(lines, p) {
			fail(p + " was unticked")
		}
	}
}

// reviews notes what the review has shown, as long as the answer stays the same.
func (w *watcher) reviews(s state, lines []string) {
	if s.page == 0 {
		clear(w.reviewed)
		return
	}
	for _, p := range s.picked {
		w.reviewed[p] = w.reviewed[p] || shows(lines, p)
	}
	w.reviewed["begin"] = w.reviewed["begin"] || !shows(lines, "↑")
	w.reviewed["end"] = w.reviewed["end"] || !shows(lines, "↓")
}

// sent checks an answer that went out: everything that it is made of was on the
// screen, and on the review if there is too much of it.
func (w *watcher) sent(was state, lines []string, out *sayso.Outcome) {
	a := out.Answers[0]
	fail := func(what string) {
		w.rt.Fatalf("%s was sent unseen: %v\n%s", what, a, strings.Join(lines, "\n"))
	}
	for i := range w.ask.Questions[0].Options {
		o, mark := &w.ask.Questions[0].Options[i], optionMark(i)
		if !slices.Contains(a.Selected, o.ID) {
			continue
		}
		if !shows(lines, mark) && !w.reviewed[mark] {
			fail(mark)
		}
		if o.Danger && !shows(lines, w.m.o.Words.DangerAsk[:12]) {
			fail("a dangerous option")
		}
	}
	if was.page == 1 && !(w.reviewed["begin"] && w.reviewed["end"]) {
		fail("a part of the review")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(a.Other), "\n")
	if was.page == 0 && a.Other != "" && !shows(lines, first[:min(len(first), 8)]) {
		fail("own words")
	}
}
