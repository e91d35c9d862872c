package sayso

import (
	"fmt"
	"unicode/utf8"

	"github.com/saysohq/sayso/internal/safetext"
)

// Limits are what a dialect lets one call hold. The zero value is open: every
// field that is zero falls back to the bound that protects the person's screen.
//
// A dialect cannot limit headers: a long one is cut where it is shown, because
// rejecting it would cost a turn and gain nothing.
type Limits struct {
	MaxQuestions int  // default 20
	MinOptions   int  // for a question that has options; default 1
	MaxOptions   int  // default 20
	MaxText      int  // runes in a question; default 16384
	MaxBody      int  // runes in a body, a preview; default 262144
	MaxLabel     int  // runes in a label, a description; default 4096
	NeedOptions  bool // refuse questions without options
	NeedHeader   bool // refuse questions without a header

	NeedDescription bool // refuse options without a description
	UniqueText      bool // refuse two questions with the same text
	UniqueHeader    bool // refuse two questions with the same header
}

const (
	maxQuestions = 20
	maxOptions   = 20
	maxText      = 16 << 10
	maxBody      = 256 << 10
	maxLabel     = 4 << 10
	maxID        = 128
)

func orDefault(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

// Validate reports, as an [*InvalidError], everything that keeps a normalized
// ask from being shown under the given limits. Of too many questions or options
// it looks at as many as are allowed.
func (a *Ask) Validate(l Limits) error {
	l.MaxQuestions = orDefault(l.MaxQuestions, maxQuestions)
	l.MinOptions = orDefault(l.MinOptions, 1)
	l.MaxOptions = orDefault(l.MaxOptions, maxOptions)
	l.MaxText = orDefault(l.MaxText, maxText)
	l.MaxBody = orDefault(l.MaxBody, maxBody)
	l.MaxLabel = orDefault(l.MaxLabel, maxLabel)
	v := validator{Limits: l, at: -1, option: -1}
	v.ask(a)
	return v.problems.OrNil()
}

// validator walks an ask; at and option say where it is.
type validator struct {
	Limits
	problems   InvalidError
	at, option int
}

func (v *validator) bad(err error, field, format string, args ...any) {
	v.problems.Add(err, QuestionPath(v.at, v.option, field), fmt.Sprintf(format, args...))
}

func (v *validator) ask(a *Ask) {
	if !a.knownKind() {
		v.bad(ErrKind, "kind", "is %q; use %q or %q", firstRunes(string(a.Kind), 60), AskQuestions, AskApproval)
	}
	v.approval(a)
	if tp := a.Origin.Traceparent; tp != "" && TraceID(tp) == "" {
		v.bad(ErrBadID, "origin.traceparent", "is %q; use the form of W3C Trace Context, version 00", firstRunes(tp, 60))
	}
	switch n := len(a.Questions); {
	case n == 0:
		v.bad(ErrNoQuestions, "questions", "is empty; ask at least one question")
	case n > v.MaxQuestions:
		v.bad(ErrTooManyQuestions, "questions", "has %d questions; ask at most %d in one call, the most important first", n, v.MaxQuestions)
	}
	for v.at = range min(len(a.Questions), v.MaxQuestions) {
		q := &a.Questions[v.at]
		v.question(q)
		v.unlikeEarlier(q, a.Questions[:v.at])
	}
}

func (v *validator) question(q *Question) {
	v.id(q.ID)
	if empty(q.Text, q.RawText) {
		v.bad(ErrEmptyQuestion, "text", "is empty; write the question out")
	}
	if v.NeedHeader && empty(q.Header, q.RawHeader) {
		v.bad(ErrEmptyHeader, "header", "is empty; give the question a short name, such as \"Database\"")
	}
	v.length("text", q.Text, v.MaxText)
	v.length("body", q.Body, v.MaxBody)
	v.length("header", q.Header, maxLabel)
	v.kind(q)
	v.optionCount(len(q.Options))
	for v.option = range min(len(q.Options), v.MaxOptions) {
		v.anOption(&q.Options[v.option], q.Options[:v.option])
	}
	v.option = -1
}

// kind reports a kind that nobody knows, or that the options contradict.
func (v *validator) kind(q *Question) {
	switch k := q.kind(); {
	case !q.knownKind():
		v.bad(ErrKind, "kind", "is %q; use %q, %q or %q", firstRunes(string(k), 60), KindText, KindChoice, KindChoices)
	case q.Chooses() != (len(q.Options) > 0):
		v.bad(ErrKind, "kind", "is %q, and there are %d options", k, len(q.Options))
	case q.Chooses() && q.Several() != q.Multi:
		v.bad(ErrKind, "kind", "is %q, and multi is %v", k, q.Multi)
	}
}

// empty reports whether a text says nothing. Invisible characters, which
// Normalize has made visible, say nothing either.
func empty(shown, raw string) bool {
	return safetext.Blank(shown) || raw != "" && safetext.Blank(raw)
}

func (v *validator) optionCount(n int) {
	if n == 0 && !v.NeedOptions || n >= v.MinOptions && n <= v.MaxOptions {
		return
	}
	noun, instead := "options", ""
	if n == 1 {
		noun = "option"
	}
	if !v.NeedOptions {
		instead = ", or none to ask for words"
	}
	v.bad(ErrOptionCount, "options", "has %d %s; offer %d to %d%s", n, noun, v.MinOptions, v.MaxOptions, instead)
}

func (v *validator) anOption(o *Option, earlier []Option) {
	v.id(o.ID)
	if empty(o.Label, o.RawLabel) {
		v.bad(ErrEmptyLabel, "label", "is empty; say what choosing it means")
	}
	if v.NeedDescription && safetext.Blank(o.Description) {
		v.bad(ErrEmptyDescription, "description", "is empty; say what happens if it is chosen")
	}
	v.length("label", o.Label, v.MaxLabel)
	v.length("description", o.Description, v.MaxLabel)
	v.length("preview", o.Preview, v.MaxBody)
	for k := range earlier {
		if sameLabel(&earlier[k], o) {
			v.bad(ErrDuplicateLabel, "label", "looks the same as option %d, %q; make the labels differ", k+1, firstRunes(earlier[k].Label, 60))
			break
		}
	}
	for k := range earlier {
		if earlier[k].ID == o.ID {
			v.bad(ErrDuplicateID, "id", "repeats %q; give each option its own id", firstRunes(o.ID, 60))
			break
		}
	}
}

// sameLabel reports whether a person would take the two options for the same, or
// an agent that reads labels back would.
func sameLabel(a, b *Option) bool {
	if a.LabelAsAsked() == b.LabelAsAsked() {
		return !safetext.Blank(a.Label)
	}
	key := safetext.Key(a.Label)
	return key != "" && key == safetext.Key(b.Label)
}

// unlikeEarlier reports a question that cannot be told from an earlier one.
func (v *validator) unlikeEarlier(q *Question, earlier []Question) {
	like := func(same func(e *Question) bool) int {
		for k := range earlier {
			if same(&earlier[k]) {
				return k
			}
		}
		return -1
	}
	if like(func(e *Question) bool { return e.ID == q.ID }) >= 0 {
		v.bad(ErrDuplicateID, "id", "repeats %q; give each question its own id", firstRunes(q.ID, 60))
	}
	if v.UniqueText && !empty(q.Text, q.RawText) {
		if k := like(func(e *Question) bool { return e.TextAsAsked() == q.TextAsAsked() }); k >= 0 {
			v.bad(ErrDuplicateQuestion, "text", "repeats question %d; ask it once", k+1)
		}
	}
	if v.UniqueHeader && !empty(q.Header, q.RawHeader) {
		if k := like(func(e *Question) bool { return e.HeaderAsAsked() == q.HeaderAsAsked() }); k >= 0 {
			v.bad(ErrDuplicateHeader, "header", "repeats the header of question %d; make the headers differ", k+1)
		}
	}
}

func (v *validator) id(id string) {
	switch {
	case len(id) > maxID:
		v.bad(ErrBadID, "id", "is longer than %d bytes; use a short name", maxID)
	case safetext.Line(id) != id || safetext.Blank(id):
		v.bad(ErrBadID, "id", "has characters that cannot be shown; use letters, digits, - and _")
	}
}

func (v *validator) length(field, s string, most int) {
	if len(s) <= most { // bytes are at least as many as runes
		return
	}
	if n := utf8.RuneCountInString(s); n > most {
		v.bad(ErrTooLong, field, "has %d characters; use at most %d", n, most)
	}
}
