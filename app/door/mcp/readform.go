package mcp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

const maxWords = 16384 // runes of one field

// readForm reads what came back in a form. It believes nothing: an error says
// everything that does not fit the questions.
func readForm(a *sayso.Ask, content map[string]any) (*sayso.Outcome, error) {
	r := &formReader{content: content, known: map[string]bool{}}
	o := &sayso.Outcome{Status: sayso.StatusUnanswered}
	for i := range a.Questions {
		ans := r.answer(i, &a.Questions[i])
		if ans.Answered() {
			o.Status = sayso.StatusAnswered
		} else {
			ans.Unanswered = sayso.ReasonSkipped
		}
		o.Answers = append(o.Answers, ans)
	}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if !r.known[name] {
			r.Add(sayso.ErrUnknownQuestion, cut(sayso.SafeLine(name), 64), "is no field of the form")
		}
	}
	if err := r.OrNil(); err != nil {
		return nil, err
	}
	return o, a.Check(o)
}

type formReader struct {
	sayso.InvalidError
	content map[string]any
	known   map[string]bool
}

// field returns the value of a field; nil: it was left blank.
func (r *formReader) field(name string) any {
	r.known[name] = true
	return r.content[name]
}

// answer reads the fields of a question. Words that name an option choose it. Beside
// the one option that may be chosen, other words are a note on it.
func (r *formReader) answer(i int, q *sayso.Question) sayso.Answer {
	ans := sayso.Answer{QuestionID: q.ID, Selected: r.chosen(i, q)}
	if !q.Chooses() {
		ans.Other = r.text(fieldName(i))
		r.text(customName(i)) // some clients have it everywhere
		return ans
	}
	said, err := q.Match([]string{r.text(customName(i))}, nil)
	if err != nil {
		r.ambiguous(err)
	}
	for _, id := range said.Selected {
		if !slices.Contains(ans.Selected, id) {
			ans.Selected = append(ans.Selected, id)
		}
	}
	if len(ans.Selected) > 0 && !q.Several() {
		ans.Note = said.Other
	} else {
		ans.Other = said.Other
	}
	return ans
}

// ambiguous adds what says that two options could be meant.
func (r *formReader) ambiguous(err error) {
	if invalid := (*sayso.InvalidError)(nil); errors.As(err, &invalid) {
		r.Problems = append(r.Problems, invalid.Problems...)
	}
}

// text reads words. Blank ones say nothing.
func (r *formReader) text(name string) string {
	switch v := r.field(name).(type) {
	case nil:
	case string:
		if utf8.RuneCountInString(v) > maxWords {
			r.Add(sayso.ErrTooLong, name, fmt.Sprintf("is longer than %d characters", maxWords))
		} else if !sayso.Blank(v) {
			return v
		}
	default:
		r.Add(sayso.ErrMalformed, name, "is not a text")
	}
	return ""
}

// chosen returns the ids of the options that were chosen.
func (r *formReader) chosen(i int, q *sayso.Question) []string {
	if !q.Chooses() {
		return nil
	}
	name := fieldName(i)
	var ids []string
	for j := range q.Options {
		switch v := r.field(optionName(i, j)).(type) {
		case nil:
		case bool:
			if v && q.Several() {
				ids = append(ids, q.Options[j].ID)
			}
		default:
			r.Add(sayso.ErrMalformed, optionName(i, j), "is neither true nor false")
		}
	}
	take := func(label string) {
		o, err := offered(q, label)
		switch {
		case err != nil:
			r.ambiguous(err)
		case o == nil && !sayso.Blank(label):
			r.Add(sayso.ErrUnknownOption, name, "is not one of the options")
		case o != nil && !slices.Contains(ids, o.ID):
			ids = append(ids, o.ID)
		}
	}
	switch v := r.field(name).(type) {
	case nil:
	case string:
		take(v)
	case []any:
		if !q.Several() && len(v) > 1 {
			r.Add(sayso.ErrTooManySelected, name, "holds more than one option")
			return nil
		}
		for _, one := range v {
			if s, ok := one.(string); ok {
				take(s)
			} else {
				r.Add(sayso.ErrMalformed, name, "holds something that is not a text")
			}
		}
	default:
		r.Add(sayso.ErrMalformed, name, "is neither a text nor a list")
	}
	return ids
}

// offered returns the option that a value of the form's own list stands for, or that
// a text names.
func offered(q *sayso.Question, value string) (*sayso.Option, error) {
	for j := range q.Options {
		if q.Options[j].Label == value {
			return &q.Options[j], nil
		}
	}
	return q.OptionNamed(value, nil)
}
