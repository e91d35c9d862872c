package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/strictjson"
)

// said is what a person said to one question, in the asker's own spelling.
type said struct {
	*sayso.Question
	labels   []string // of the chosen options, in the order of the options
	options  []*sayso.Option
	other    string // own words; empty when blank
	note     string // empty when blank
	answered bool
}

// saidTo pairs every question of the ask with what was said to it. Only an
// answered outcome, or the default that the asker declared, says anything.
func saidTo(a *sayso.Ask, answers []sayso.Answer) []said {
	all := make([]said, len(a.Questions))
	for i := range a.Questions {
		q := &a.Questions[i]
		s := said{Question: q}
		for _, ans := range answers {
			if ans.QuestionID != q.ID {
				continue
			}
			for j := range q.Options {
				o := &q.Options[j]
				for _, id := range ans.Selected {
					if id == o.ID {
						s.labels = append(s.labels, o.LabelAsAsked())
						s.options = append(s.options, o)
						break
					}
				}
			}
			s.other, s.note = unlessBlank(ans.Other), unlessBlank(ans.Note)
			break
		}
		s.answered = len(s.labels) > 0 || s.other != "" || s.note != ""
		all[i] = s
	}
	return all
}

// settle returns the outcome as it is to be told. It is answered only where
// something was said to a question that was asked, or to the form as a whole.
// Every Format starts with it.
func settle(a *sayso.Ask, o *sayso.Outcome) *sayso.Outcome {
	o = o.Settled()
	if o.Status != sayso.StatusAnswered || !sayso.Blank(o.Reply) {
		return o
	}
	for i := range a.Questions {
		q := &a.Questions[i]
		ans, _ := o.Answer(q.ID)
		if !sayso.Blank(ans.Other) || !sayso.Blank(ans.Note) ||
			slices.ContainsFunc(ans.Selected, func(id string) bool { return q.Option(id) != nil }) {
			return o
		}
	}
	c := *o
	c.Status = sayso.StatusUnanswered
	return &c
}

func unlessBlank(s string) string {
	if sayso.Blank(s) {
		return ""
	}
	return strings.TrimSpace(s)
}

// values returns the chosen labels and own words as one list.
func (s said) values() []string {
	if s.other == "" {
		return s.labels
	}
	return append(s.labels[:len(s.labels):len(s.labels)], s.other)
}

// ids returns the ids of the chosen options.
func (s said) ids() []string {
	ids := make([]string, len(s.options))
	for i, o := range s.options {
		ids[i] = o.ID
	}
	return ids
}

// remarks returns own words and note as one text.
func (s said) remarks() string {
	if s.other == "" || s.note == "" {
		return s.other + s.note
	}
	return s.other + "; " + s.note
}

// choiceAndWords returns what was said in an ask of one question: the options
// that were chosen, and whatever the person put in words.
func choiceAndWords(a *sayso.Ask, o *sayso.Outcome) (choice, words string) {
	var labels, remarks []string
	for _, s := range saidTo(a, o.Answers) {
		labels = append(labels, s.labels...)
		if r := s.remarks(); r != "" {
			remarks = append(remarks, r)
		}
	}
	if reply := unlessBlank(o.Reply); reply != "" {
		remarks = append(remarks, reply)
	}
	return strings.Join(labels, ", "), strings.Join(remarks, "\n")
}

// lines joins what is not empty.
func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// byPerson reports whether a person, rather than the asker or a rule, closed the
// ask. An outcome that does not say is taken for a person's where its status is
// one that only a person gives.
func byPerson(o *sayso.Outcome) bool {
	return o.By.Kind.Human() || o.By.Kind == "" && (o.Status == sayso.StatusDeclined || o.Status == sayso.StatusCancelled)
}

// dismissed reports whether a person declined or cancelled the ask.
func dismissed(o *sayso.Outcome) bool {
	return byPerson(o) && (o.Status == sayso.StatusDeclined || o.Status == sayso.StatusCancelled)
}

// noAnswer is the sentence for an outcome without an answer, for dialects and
// statuses that have no words of their own. It never says that anybody decided.
func noAnswer(a *sayso.Ask, o *sayso.Outcome) string {
	var s string
	switch o.Status {
	case sayso.StatusPending:
		s = "The question is still open: nobody has responded yet."
		if a.ID != "" {
			s = "The question is still open (" + a.ID + "): nobody has responded yet."
		}
		s += " Do not assume an answer; it may still come."
	case sayso.StatusUnanswered:
		s = "The user did not answer the questions."
	case sayso.StatusDeclined:
		s = "The user declined to answer."
	case sayso.StatusCancelled:
		s = "The question was withdrawn before anybody responded."
		if byPerson(o) {
			s = "The user cancelled the question."
		}
	case sayso.StatusExpired:
		s = "No response came before the deadline, so nobody has decided."
		if d := defaults(a, o); d != "" {
			s += " The default declared with the question applies: " + d + "."
		} else {
			s += " You can ask again later if it is still relevant."
		}
	case sayso.StatusSuperseded:
		s = "The question was replaced before anybody responded to it."
	default:
		s = "Nobody could be asked."
		if o.Reason != "" {
			return sayso.SafeLine(o.Reason)
		}
	}
	if o.Reason != "" {
		s += " Reason: " + sayso.SafeLine(o.Reason)
	}
	return s
}

// defaults words the answers that the asker declared for an expired deadline.
func defaults(a *sayso.Ask, o *sayso.Outcome) string {
	var parts []string
	for _, s := range saidTo(a, o.Answers) {
		if s.answered {
			parts = append(parts, quote(s.TextAsAsked())+"="+quote(strings.Join(s.values(), ", ")))
		}
	}
	return strings.Join(parts, ", ")
}

// quote returns s as a JSON string, which cannot be left from the inside.
func quote(s string) string { return string(strictjson.AppendString(nil, s)) }

// withReason adds the reason of an outcome to an agent's fixed sentence.
func withReason(s string, o *sayso.Outcome) string {
	if sayso.Blank(o.Reason) {
		return s
	}
	return strings.TrimSuffix(s, ".") + ". Reason: " + sayso.SafeLine(o.Reason)
}

// withReply returns what was said to the questions, in the dialect's words, and
// the reply to the form as a whole. The words count only where one was answered.
func withReply(words string, all []said, o *sayso.Outcome) string {
	reply := unlessBlank(o.Reply)
	if reply == "" {
		return words
	}
	reply = "The user responded: " + indented(reply)
	if !slices.ContainsFunc(all, func(s said) bool { return s.answered }) {
		return reply
	}
	return words + "\n\n" + reply
}

// jsonWriter writes JSON in the order in which it is told to, without reflection.
type jsonWriter struct {
	buf    []byte
	comma  bool
	spaced bool // a space after each comma and colon, as Python writes them
}

func (w *jsonWriter) value() {
	if w.comma {
		w.buf = append(w.buf, ',')
		w.space()
	}
	w.comma = true
}

func (w *jsonWriter) space() {
	if w.spaced {
		w.buf = append(w.buf, ' ')
	}
}

func (w *jsonWriter) open(bracket byte) *jsonWriter {
	w.value()
	w.buf = append(w.buf, bracket)
	w.comma = false
	return w
}

func (w *jsonWriter) close(bracket byte) *jsonWriter {
	w.buf = append(w.buf, bracket)
	w.comma = true
	return w
}

func (w *jsonWriter) key(name string) *jsonWriter {
	w.value()
	w.buf = append(strictjson.AppendString(w.buf, name), ':')
	w.space()
	w.comma = false
	return w
}

func (w *jsonWriter) str(s string) *jsonWriter {
	w.value()
	w.buf = strictjson.AppendString(w.buf, s)
	return w
}

func (w *jsonWriter) bool(b bool) *jsonWriter {
	if b {
		return w.raw("true")
	}
	return w.raw("false")
}

func (w *jsonWriter) raw(literal string) *jsonWriter {
	w.value()
	w.buf = append(w.buf, literal...)
	return w
}

func (w *jsonWriter) strs(list []string) *jsonWriter {
	w.open('[')
	for _, s := range list {
		w.str(s)
	}
	return w.close(']')
}

func (w *jsonWriter) message() json.RawMessage { return w.buf }
