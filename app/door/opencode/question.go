package opencode

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// arguments are the questions of a request, as its tool has them.
func (d *data) arguments() json.RawMessage {
	b, err := json.Marshal(struct {
		Questions json.RawMessage `json:"questions"`
	}{d.Questions})
	if err != nil {
		return nil // there are no questions
	}
	return b
}

// answers spells an outcome as POST /question/{id}/reply takes it: to each question the
// labels that were chosen, and own words. opencode has no place for notes and for words
// to all questions; they follow the answer.
func answers(a *sayso.Ask, o *sayso.Outcome) [][]string {
	list := make([][]string, len(a.Questions))
	for i := range a.Questions {
		q := &a.Questions[i]
		list[i] = []string{}
		ans, _ := o.Answer(q.ID)
		for j := range q.Options {
			if opt := &q.Options[j]; slices.Contains(ans.Selected, opt.ID) {
				list[i] = append(list[i], opt.LabelAsAsked())
			}
		}
		if !sayso.Blank(ans.Other) {
			list[i] = append(list[i], strings.TrimSpace(ans.Other))
		}
		if !sayso.Blank(ans.Note) {
			list[i] = append(list[i], "user notes: "+strings.TrimSpace(ans.Note))
		}
	}
	if last := len(list) - 1; last >= 0 && !sayso.Blank(o.Reply) {
		list[last] = append(list[last], "reply to all questions: "+strings.TrimSpace(o.Reply))
	}
	return list
}

// answered reads what was answered in opencode's own dialog; nil if it cannot be told.
func answered(a *sayso.Ask, said [][]string) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		q := &a.Questions[i]
		var texts []string
		if i < len(said) {
			texts = said[i]
		}
		ans, err := q.Match(texts, nil)
		if err != nil {
			return nil
		}
		o.Answers = append(o.Answers, ans)
	}
	o = o.Settled()
	if a.Check(o) != nil {
		return nil
	}
	return o
}
