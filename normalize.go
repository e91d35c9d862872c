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

// maxMarks is how many marks of Markdown a text may have to be read as Markdown.
// That is a document of some forty pages.
const maxMarks = 4000

// maxCells is how many cells its tables could have.
const maxCells = 50_000

// HeavyMarkdown reports whether a text has so many marks of Markdown that a surface
// shows it as it was sent. The time that a parser takes can grow with the square of
// their number, and an asker could keep a surface busy for minutes.
func HeavyMarkdown(s string) bool {
	n, lines, cells, most := 0, 1, 0, 0
	for i := range len(s) {
		switch s[i] { // a table has as many cells in each row as in the first
		case '|':
			cells++
			most = max(most, cells)
		case '\n':
			lines, cells = lines+1, 0
		}
		switch c := s[i]; {
		case strings.IndexByte("\n*_[]<>`~|!&-+", c) >= 0,
			(c == '.' || c == ')') && i > 0 && s[i-1] >= '0' && s[i-1] <= '9': // of a list
			n++
		}
	}
	return n > maxMarks || lines*most > maxCells
}

// Blank reports whether s says nothing: empty, or only white space and
// characters that nobody can see.
func Blank(s string) bool { return safetext.Blank(s) }

// Normalize makes an ask ready to be validated, stored and shown: it gives ids
// to questions and options that have none and kinds to questions, makes every text
// safe and trims it, and reads the "(Recommended)" convention into the option's
// field. The bytes of
// texts, headers and labels that it changes stay in the Raw fields.
//
// Normalize is idempotent, and takes time in proportion to the ask, however many
// questions a model sends.
func (a *Ask) Normalize() {
	switch {
	case a.Approval != nil:
		a.setApproval()
	case a.Kind == "":
		a.Kind = AskQuestions
	}
	for i := range a.Questions {
		q := &a.Questions[i]
		clean(&q.Header, &q.RawHeader, safetext.Line)
		clean(&q.Text, &q.RawText, safetext.Block)
		q.Body = tidy(q.Body, safetext.Block)
		for j := range q.Options {
			o := &q.Options[j]
			clean(&o.Label, &o.RawLabel, safetext.Line)
			o.Description = tidy(o.Description, safetext.Block)
			o.Preview = strings.TrimRight(safetext.Block(o.Preview), " \n")
		}
		q.setKind()
		readRecommended(q)
		nameAll("o", len(q.Options), func(j int) *string { return &q.Options[j].ID })
	}
	nameAll("q", len(a.Questions), func(i int) *string { return &a.Questions[i].ID })

	o := &a.Origin
	for _, s := range []*string{&o.Host, &o.Workspace, &o.Branch, &o.Asker, &o.Via} {
		*s = tidy(*s, safetext.Line)
	}
	for i := range o.Agents {
		o.Agents[i] = tidy(o.Agents[i], safetext.Line)
	}
}

// clean makes *shown safe and keeps what the asker wrote in *raw.
func clean(shown, raw *string, safe func(string) string) {
	s := tidy(*shown, safe)
	if s == *shown {
		return
	}
	if *raw == "" {
		*raw = *shown
	}
	*shown = s
}

// tidy makes s safe and trims it: first, as a line would show the line end, and
// again, as some of what is made safe becomes a space.
func tidy(s string, safe func(string) string) string {
	return strings.TrimSpace(safe(strings.TrimSpace(s)))
}

const recommendedSuffix = "(recommended)"

// readRecommended takes the suffix off a label, unless that would leave nothing
// or make two labels look the same.
func readRecommended(q *Question) {
	var looks map[string]int // how many labels look like this without the suffix
	for i := range q.Options {
		o := &q.Options[i]
		bare, found := cutRecommended(o.Label)
		if !found {
			continue
		}
		o.Recommended = true
		if looks == nil {
			looks = bareLooks(q.Options)
		}
		if bare == "" || looks[safetext.Key(bare)] > 1 {
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

func bareLooks(options []Option) map[string]int {
	looks := make(map[string]int, len(options))
	for i := range options {
		bare, _ := cutRecommended(options[i].Label)
		looks[safetext.Key(bare)]++
	}
	return looks
}

// nameAll gives each of n things that has no id the prefix and its number, with
// underscores added where a given id is in the way.
func nameAll(prefix string, n int, id func(i int) *string) {
	var given map[string]bool
	for i := range n {
		if s := *id(i); s != "" {
			if given == nil {
				given = make(map[string]bool, n)
			}
			given[s] = true
		}
	}
	for i := range n {
		if *id(i) != "" {
			continue
		}
		name := prefix + strconv.Itoa(i+1)
		for given[name] {
			name += "_"
		}
		*id(i) = name
	}
}
