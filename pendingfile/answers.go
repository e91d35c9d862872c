package pendingfile

import (
	"errors"
	"fmt"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/strictjson"
)

// outcome reads one value for each question. It claims to be answered; whether
// anything was said is the caller's to judge.
func (p *Pending) outcome(values []strictjson.Value, at time.Time) (*sayso.Outcome, error) {
	o := &sayso.Outcome{Status: sayso.StatusAnswered, By: byHand, At: at}
	var invalid sayso.InvalidError
	for i := range p.Ask.Questions {
		q := &p.Ask.Questions[i]
		ans, err := answer(q, values[i])
		var unclear *sayso.InvalidError
		switch at := fmt.Sprintf("answers[%d]", i); {
		case errors.As(err, &unclear):
			for _, p := range unclear.Problems {
				invalid.Add(p.Err, at, p.Message)
			}
		case err != nil:
			invalid.Add(sayso.ErrMalformed, at, err.Error())
		}
		o.Answers = append(o.Answers, ans)
	}
	if err := invalid.OrNil(); err != nil {
		return nil, err
	}
	if o.HasAnswer() {
		return o, p.Ask.Check(o)
	}
	return o, nil
}

func answer(q *sayso.Question, v strictjson.Value) (sayso.Answer, error) {
	items := []strictjson.Value{v}
	if v.Kind() == strictjson.Array {
		items = items[:0]
		for i := range v.Len() {
			items = append(items, v.Index(i))
		}
	}
	said := make([]string, len(items))
	for i, item := range items {
		var err error
		if said[i], err = textOf(item); err != nil {
			return sayso.Answer{QuestionID: q.ID}, err
		}
	}
	return q.Match(said, nil)
}

// textOf returns what a person meant who wrote 8080 or true without quotes.
func textOf(v strictjson.Value) (string, error) {
	switch v.Kind() {
	case strictjson.Null:
		return "", nil
	case strictjson.String:
		return v.Str(), nil
	case strictjson.Number, strictjson.Bool:
		return v.Raw(), nil
	}
	return "", fmt.Errorf("is an %s; write a text, a list of texts, or null", v.Kind())
}

// shownLabel is the label in the file: as the asker spelled it, made safe.
func shownLabel(o *sayso.Option) string { return sayso.SafeLine(o.LabelAsAsked()) }

func shownText(q *sayso.Question) string { return sayso.SafeText(q.Text) }
