package sayso

import (
	"strconv"
	"strings"

	"github.com/saysohq/sayso/internal/safetext"
)

// SafeText makes text from an asker safe to show on several lines: control
// sequences, bidi controls, invisible and piled-up characters become visible or
// go away, every script people write stays. It is idempotent.
func SafeText(s string) string { return safetext.Block(s) }

// SafeLine is SafeText for a place that holds one line: a label, a header, a name.
func SafeLine(s string) string { return safetext.Line(s) }

// Blank reports whether s says nothing: empty, or only white space and
// characters that nobody can see.
func Blank(s string) bool { return safetext.Blank(s) }

// Normalize makes an ask ready to be validated, stored and shown: it gives ids
// to questions and options that have none, makes every text safe and trims it,
// and reads the "(Recommended)" convention into the option's field. The bytes of
// texts, headers and labels that it changes stay in the Raw fields.
//
// Normalize is idempotent.
func (a *Ask) Normalize() {
	for i := range a.Questions {
		q := &a.Questions[i]
		clean(&q.Header, &q.RawHeader, safetext.Line)
		clean(&q.Text, &q.RawText, safetext.Block)
		q.Body = strings.TrimSpace(safetext.Block(q.Body))
		for j := range q.Options {
			o := &q.Options[j]
			clean(&o.Label, &o.RawLabel, safetext.Line)
			o.Description = strings.TrimSpace(safetext.Block(o.Description))
			o.Preview = strings.TrimRight(safetext.Block(o.Preview), " \n")
		}
		readRecommended(q)
		nameOptions(q.Options)
	}
	nameQuestions(a.Questions)

	o := &a.Origin
	for _, s := range []*string{&o.Host, &o.Workspace, &o.Branch} {
		*s = strings.TrimSpace(safetext.Line(*s))
	}
	for i := range o.Agents {
		o.Agents[i] = strings.TrimSpace(safetext.Line(o.Agents[i]))
	}
}

// clean makes *shown safe and keeps what the asker wrote in *raw.
func clean(shown, raw *string, safe func(string) string) {
	s := strings.TrimSpace(safe(*shown))
	if s == *shown {
		return
	}
	if *raw == "" {
		*raw = *shown
	}
	*shown = s
}

const recommendedSuffix = "(recommended)"

// readRecommended takes the suffix off a label, unless that would leave nothing
// or make two labels look the same.
func readRecommended(q *Question) {
	for i := range q.Options {
		o := &q.Options[i]
		bare, found := cutRecommended(o.Label)
		if !found {
			continue
		}
		o.Recommended = true
		if bare == "" || labelTaken(q.Options, i, bare) {
			continue
		}
		if o.RawLabel == "" {
			o.RawLabel = o.Label
		}
		o.Label = bare
	}
}

func cutRecommended(label string) (bare string, found bool) {
	bare = label
	for {
		n := len(bare) - len(recommendedSuffix)
		if n < 0 || !strings.EqualFold(bare[n:], recommendedSuffix) {
			return bare, found
		}
		bare, found = strings.TrimSpace(bare[:n]), true
	}
}

func labelTaken(options []Option, except int, label string) bool {
	for i := range options {
		if i == except {
			continue
		}
		other, _ := cutRecommended(options[i].Label)
		if other == label || options[i].Label == label {
			return true
		}
	}
	return false
}

func nameQuestions(qs []Question) {
	taken := func(id string) bool {
		for i := range qs {
			if qs[i].ID == id {
				return true
			}
		}
		return false
	}
	for i := range qs {
		if qs[i].ID == "" {
			qs[i].ID = freeID("q", i+1, taken)
		}
	}
}

func nameOptions(options []Option) {
	taken := func(id string) bool {
		for i := range options {
			if options[i].ID == id {
				return true
			}
		}
		return false
	}
	for i := range options {
		if options[i].ID == "" {
			options[i].ID = freeID("o", i+1, taken)
		}
	}
}

// freeID returns prefix+n, with underscores added until no given id is in the way.
func freeID(prefix string, n int, taken func(string) bool) string {
	id := prefix + strconv.Itoa(n)
	for taken(id) {
		id += "_"
	}
	return id
}
