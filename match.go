package sayso

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/saysohq/sayso/internal/safetext"
)

// MatchOptions are the options of [Question.Match]. Nil means the defaults.
type MatchOptions struct {
	// Numbers reads 2 and #2 as the second option. It is for surfaces that
	// number the options. Default: a number is a text like any other.
	Numbers bool

	// Joined reads labels with commas between them as several options, where
	// several may be chosen: some protocols have no lists. Text after the last
	// label is the person's own words. Default: a text names one option at most.
	Joined bool
}

// Match reads what was said to the question, in one text or several, as an answer.
// A text that names an option chooses it; any other text is the person's own
// words, and is kept as it is. All surfaces read answers this way, so that the
// same text means the same everywhere.
//
// A text names an option by its id, by its label as the asker sent it or as it is
// shown, or by its label but for case, width and spaces around it. It must name
// one option only: an error matches [ErrAmbiguous] if two could be meant.
//
// Match chooses as many options as are named; [Ask.Check] says if that is too many.
func (q *Question) Match(said []string, o *MatchOptions) (Answer, error) {
	if o == nil {
		o = &MatchOptions{}
	}
	ans := Answer{QuestionID: q.ID}
	var words []string
	for _, text := range said {
		if Blank(text) {
			continue
		}
		chosen, rest, err := q.read(text, o)
		if err != nil {
			return Answer{}, err
		}
		for _, id := range chosen {
			if !slices.Contains(ans.Selected, id) {
				ans.Selected = append(ans.Selected, id)
			}
		}
		if !Blank(rest) {
			words = append(words, rest)
		}
	}
	ans.Other = strings.Join(words, "\n")
	if !ans.Answered() {
		ans.Unanswered = ReasonSkipped
	}
	return ans, nil
}

// read returns the options that a text names, and what is left of it.
func (q *Question) read(text string, o *MatchOptions) (chosen []string, rest string, err error) {
	opt, err := q.OptionNamed(text, o)
	switch {
	case err != nil:
		return nil, "", err
	case opt != nil:
		return []string{opt.ID}, "", nil
	case o.Joined && q.Several():
		return q.readJoined(text, o)
	}
	return nil, text, nil
}

// readJoined reads the labels at the beginning of a text. An option's label may
// hold commas, so the longest beginning that names an option counts.
func (q *Question) readJoined(text string, o *MatchOptions) (chosen []string, rest string, err error) {
	for rest = text; rest != ""; {
		var found *Option
		var after string
		for at := len(rest); at > 0; at = strings.LastIndexByte(rest[:at], ',') {
			if found, err = q.OptionNamed(rest[:at], o); found != nil || err != nil {
				after = strings.TrimLeft(strings.TrimPrefix(rest[at:], ","), " ")
				break
			}
		}
		if err != nil {
			return nil, "", err
		}
		if found == nil {
			break
		}
		chosen, rest = append(chosen, found.ID), after
	}
	return chosen, rest, nil
}

// OptionNamed returns the option that a text names, as [Question.Match] reads it,
// or nil if it names none. The error matches [ErrAmbiguous] if it could name two.
func (q *Question) OptionNamed(text string, o *MatchOptions) (*Option, error) {
	named, err := q.byName(text)
	if err != nil || o == nil || !o.Numbers {
		return named, err
	}
	n, marked := number(text)
	switch {
	case n < 1 || n > len(q.Options):
		return named, nil
	case marked || named == nil || named == &q.Options[n-1]:
		return &q.Options[n-1], nil
	}
	return nil, q.ambiguous(text, "is the label of one option and the number of another; write #"+strconv.Itoa(n)+" for the number")
}

// byName finds the option by its id or label. An id is the asker's choice and not
// shown: where it is what another option is called, neither is meant.
func (q *Question) byName(text string) (*Option, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	exact := func(o *Option) bool { return o.ID == text || slices.Contains(o.spellings(), text) }
	fold := safetext.Fold(text)
	roughly := func(o *Option) bool {
		return slices.ContainsFunc(o.spellings(), func(s string) bool { return safetext.Fold(s) == fold })
	}
	for _, matches := range []func(*Option) bool{exact, roughly} {
		var found *Option
		for i := range q.Options {
			switch o := &q.Options[i]; {
			case !matches(o):
			case found != nil:
				return nil, q.ambiguous(text, "could mean the option "+strconv.Quote(found.Label)+" or the option "+strconv.Quote(o.Label)+"; write the label exactly")
			default:
				found = o
			}
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}

// spellings are the ways in which a label is sent and shown.
func (o *Option) spellings() []string {
	all := []string{strings.TrimSpace(o.LabelAsAsked()), strings.TrimSpace(SafeLine(o.LabelAsAsked())), strings.TrimSpace(o.Label)}
	if o.Recommended {
		all = append(all, o.LabelMarked())
	}
	return all
}

func (q *Question) ambiguous(text, why string) error {
	e := &InvalidError{}
	e.Add(ErrAmbiguous, "", strconv.Quote(SafeLine(firstRunes(text, 60)))+" "+why)
	return e
}

// number reads 2 and #2, and reports whether the mark was there.
func number(s string) (n int, marked bool) {
	s, marked = strings.CutPrefix(strings.TrimSpace(s), "#")
	if s == "" || utf8.RuneCountInString(s) > 6 {
		return 0, false
	}
	for _, r := range s {
		if !unicode.IsDigit(r) || r > '9' {
			return 0, false
		}
		n = 10*n + int(r-'0')
	}
	return n, marked
}
