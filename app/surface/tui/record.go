package tui

import (
	"errors"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/words"
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
	return w.became(a, o, reader) + " (" + w.asker(a.Origin) + ")"
}

// became says what became of an ask, without who had asked.
func (w *Catalogue) became(a *sayso.Ask, o *sayso.Outcome, reader sayso.Responder) string {
	o = o.Settled()
	switch {
	case o.Status == sayso.StatusPending:
		return "… " + w.titled(a, w.Closed(o))
	case o.By != reader && o.Status == sayso.StatusAnswered:
		return "✓ " + w.closedBy(a, o)
	case o.By != reader:
		return "✗ " + w.closedBy(a, o)
	case o.Status == sayso.StatusAnswered && len(a.Questions) == 1:
		return "✓ " + w.titled(a, w.answers(a, o.Answers))
	case o.Status == sayso.StatusAnswered:
		return "✓ " + w.answers(a, o.Answers)
	}
	return "✗ " + w.titled(a, w.Closed(o))
}

// trouble says in one line what went wrong, without the requests that were made of a hub
// that is gone.
func (w *Catalogue) trouble(err error) string {
	if errors.Is(err, sayso.ErrUnreachable) {
		return w.NoHub
	}
	return sayso.SafeLine(err.Error())
}

// titled says something of an ask by its name, which may be a question; of an approval
// by what would run.
func (w *Catalogue) titled(a *sayso.Ask, text string) string {
	title := squeeze(sayso.ByAskKind(a, sayso.Title, sayso.Meta)(a))
	switch {
	case strings.HasSuffix(title, "?"):
		return title + " " + text
	case a.Approval != nil: // which has a colon of its own
		return title + " · " + text
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
	return w.closedIn(a, o, w.place(o.By.Surface, w.InTerminal))
}

// wasClosed says the same of the past, when this terminal may have been the one.
func (w *Catalogue) wasClosed(a *sayso.Ask, o *sayso.Outcome) string {
	return w.closedIn(a, o, w.where(o.By.Surface))
}

// where names a surface that may have been this one.
func (w *Catalogue) where(surface string) string {
	return w.place(surface, w.AtTerminal)
}

func (w *Catalogue) closedIn(a *sayso.Ask, o *sayso.Outcome, where string) string {
	who := ""
	switch {
	case o.By.Kind == sayso.ByAsker:
		return w.Closed(o)
	case o.By.ID != "":
		who = " " + w.say(w.ByWhom, squeeze(sayso.SafeLine(o.By.ID)))
	}
	head := strings.TrimSpace(w.Closed(o) + where + who)
	what := w.answers(a, o.Answers)
	if o.Status == sayso.StatusAnswered && !sayso.Blank(o.Reply) {
		what = w.quote(o.Reply)
	}
	if what != "" {
		head += ": " + what
	}
	return head
}

// place names a surface, or a terminal as given.
func (w *Catalogue) place(surface, terminal string) string {
	if surface == "" {
		return ""
	}
	return " " + words.Place(surface, terminal, w.InBrowser, w.say(w.InOther, squeeze(sayso.SafeLine(surface))))
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
