package tui

import (
	"strings"

	"github.com/saysohq/sayso"
)

// Record returns the one line that stays on the terminal when the i-th ask is
// done with, cut to a number of columns.
func (m *Model) Record(i, w int) string {
	f := m.forms[i]
	if f.outcome == nil {
		return ""
	}
	return cut(m.o.Words.Record(f.ask, f.outcome, m.o.By), w)
}

// Record says in one line what became of an ask: what was answered, by whom if not
// by the reader, and who had asked.
func (w *Catalogue) Record(a *sayso.Ask, o *sayso.Outcome, reader sayso.Responder) string {
	o = o.Settled()
	text := ""
	switch {
	case o.Status == sayso.StatusPending:
		text = "… " + w.titled(a, w.LeftForLater)
	case o.By != reader && o.Status == sayso.StatusAnswered:
		text = "✓ " + w.closedBy(a, o)
	case o.By != reader:
		text = "✗ " + w.closedBy(a, o)
	case o.Status == sayso.StatusAnswered && len(a.Questions) == 1:
		text = "✓ " + w.titled(a, w.answers(a, o.Answers))
	case o.Status == sayso.StatusAnswered:
		text = "✓ " + w.answers(a, o.Answers)
	default:
		text = "✗ " + w.titled(a, w.statusWords(o.Status))
	}
	return text + " (" + w.asker(a.Origin) + ")"
}

// titled says something of an ask by its name, which may be a question.
func (w *Catalogue) titled(a *sayso.Ask, text string) string {
	title := squeeze(sayso.Title(a))
	if strings.HasSuffix(title, "?") {
		return title + " " + text
	}
	return title + ": " + text
}

// answers lists the answers, each with the name of its question unless it is the
// only one.
func (w *Catalogue) answers(a *sayso.Ask, answers []sayso.Answer) string {
	var parts []string
	for i := range a.Questions {
		q := &a.Questions[i]
		for _, ans := range answers {
			if ans.QuestionID != q.ID || !ans.Answered() {
				continue
			}
			text := w.answerWords(q, ans)
			if len(a.Questions) > 1 {
				text = w.name(q, i) + ": " + text
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " · ")
}

// answerWords returns the labels, the own words and the note of an answer.
func (w *Catalogue) answerWords(q *sayso.Question, a sayso.Answer) string {
	if q.Secret {
		return w.SecretGiven
	}
	var parts []string
	for _, id := range a.Selected {
		if o := q.Option(id); o != nil {
			parts = append(parts, o.Label)
		}
	}
	if !sayso.Blank(a.Other) {
		parts = append(parts, w.quote(a.Other))
	}
	text := strings.Join(parts, ", ")
	if !sayso.Blank(a.Note) {
		text = strings.TrimSpace(text + " (" + w.quote(a.Note) + ")")
	}
	return text
}

// quote marks text of a person. It may come from another surface, so it is made
// safe here.
func (w *Catalogue) quote(s string) string {
	return w.QuoteOpen + sayso.SafeLine(oneLine(s)) + w.QuoteClose
}

// closedBy says who closed an ask elsewhere, where, and with what.
func (w *Catalogue) closedBy(a *sayso.Ask, o *sayso.Outcome) string {
	where := w.surface(o.By.Surface)
	who := ""
	switch {
	case o.By.Kind == sayso.ByAsker:
		return w.Withdrawn
	case o.By.ID != "":
		who = " " + w.say(w.ByWhom, squeeze(sayso.SafeLine(o.By.ID)))
	}
	head := strings.TrimSpace(w.statusWords(o.Status) + where + who)
	what := w.answers(a, o.Answers)
	if o.Status == sayso.StatusAnswered && !sayso.Blank(o.Reply) {
		what = w.quote(o.Reply)
	}
	if what != "" {
		head += ": " + what
	}
	return head
}

func (w *Catalogue) surface(name string) string {
	switch name {
	case "":
		return ""
	case "web":
		return " " + w.InBrowser
	case "terminal", "prompt":
		return " " + w.InTerminal
	}
	return " " + w.say(w.InOther, squeeze(sayso.SafeLine(name)))
}

func (w *Catalogue) statusWords(s sayso.Status) string {
	switch s {
	case sayso.StatusAnswered:
		return w.WasAnswered
	case sayso.StatusDeclined:
		return w.WasDeclined
	case sayso.StatusCancelled:
		return w.WasCancelled
	case sayso.StatusExpired:
		return w.WasExpired
	case sayso.StatusSuperseded:
		return w.WasSuperseded
	case sayso.StatusPending:
		return w.LeftForLater
	}
	return w.WasUnanswered
}

// closedPage tells that an ask was closed elsewhere, and shows what the person had
// typed.
func (m *Model) closedPage(f *form) *page {
	w, l := m.o.Words, m.look
	edge := m.column(nil)
	mark, style := "✓", l.ok
	if f.closed.Settled().Status != sayso.StatusAnswered {
		mark, style = "✗", l.warn
	}
	lines := indent(" "+style.Render(mark)+" ", wrap(style.Render(w.closedBy(f.ask, f.closed.Settled())), edge-3))
	if !f.closed.At.IsZero() {
		lines = append(lines, blank+l.dim.Render(w.age(m.o.Now().Sub(f.closed.At))))
	}
	if typed := m.typed(f, edge); len(typed) > 0 {
		lines = append(append(lines, ""), typed...)
	}
	p := newPage()
	p.add(part{}, lines...)
	return p
}

// typed shows what the person had typed, and says that it is kept once that is so.
func (m *Model) typed(f *form, edge int) []string {
	draft := f.draft()
	if len(draft) == 0 {
		return nil
	}
	title := m.o.Words.YouTyped
	if f.drafts.isSafe() {
		title = m.o.Words.DraftKept
	}
	return append([]string{blank + title}, m.draftLines(f, draft, edge)...)
}

// draftLines shows what the person had typed, for reading and copying.
func (m *Model) draftLines(f *form, draft []sayso.Answer, edge int) []string {
	var lines []string
	for _, a := range draft {
		q := f.ask.Question(a.QuestionID)
		lines = append(lines, "", blank+m.look.dim.Render(cut(squeeze(q.Text), edge-3)))
		var labels []string
		for _, id := range a.Selected {
			labels = append(labels, q.Option(id).Label)
		}
		for _, t := range []string{strings.Join(labels, ", "), a.Other, a.Note} {
			if t != "" {
				lines = append(lines, prefix(pad("", 5), hardwrap(sayso.SafeText(t), edge-5))...)
			}
		}
	}
	return lines
}
