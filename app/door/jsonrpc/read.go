package jsonrpc

import (
	"encoding/json"
	"fmt"

	"github.com/saysohq/sayso"
)

// readAnswer reads the result of client/ask_user.
func readAnswer(q *sayso.Question, data []byte) (*sayso.Outcome, error) {
	var r struct {
		Answer    raw  `json:"answer"`
		Declined  bool `json:"declined"`
		Cancelled bool `json:"cancelled"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, malformed("", "is not an object with an answer")
	}
	if o := refusal(r.Declined, r.Cancelled); o != nil {
		return o, nil
	}
	a := &sayso.Ask{Questions: []sayso.Question{*q}}
	one, err := readOne(q, 0, r.Answer)
	if err != nil {
		return nil, err
	}
	return checked(a, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{one}}, false)
}

// readForm reads an ask_user_response.
func readForm(a *sayso.Ask, data []byte) (*sayso.Outcome, error) {
	var r struct {
		Answers   []raw  `json:"answers"`
		Reply     string `json:"reply"`
		Declined  bool   `json:"declined"`
		Cancelled bool   `json:"cancelled"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, malformed("answers", "are not a list")
	}
	if o := refusal(r.Declined, r.Cancelled); o != nil {
		return o, nil
	}
	if len(r.Answers) > len(a.Questions) {
		return nil, malformed("answers", fmt.Sprintf("are %d, and there are %d questions", len(r.Answers), len(a.Questions)))
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Reply: r.Reply}
	for i, data := range r.Answers {
		one, err := readOne(&a.Questions[i], i, data)
		if err != nil {
			return nil, err
		}
		o.Answers = append(o.Answers, one)
	}
	return checked(a, o, true)
}

func refusal(declined, cancelled bool) *sayso.Outcome {
	switch {
	case declined:
		return &sayso.Outcome{Status: sayso.StatusDeclined}
	case cancelled:
		return &sayso.Outcome{Status: sayso.StatusCancelled}
	}
	return nil
}

// checked returns the outcome if it fits the ask. A question of a form that is sent
// one by one may stay blank while others are answered.
func checked(a *sayso.Ask, o *sayso.Outcome, settle bool) (*sayso.Outcome, error) {
	settled := o.Settled()
	if err := a.Check(settled); err != nil {
		return nil, err
	}
	if settle {
		return settled, nil
	}
	return o, nil
}

func malformed(path, message string) error {
	e := &sayso.InvalidError{}
	e.Add(sayso.ErrMalformed, path, message)
	return e
}

// readOne reads the answer to a question: words, a list of them, or seed 1's
// object. What names no option is the person's own words.
func readOne(q *sayso.Question, i int, data raw) (sayso.Answer, error) {
	out := sayso.Answer{QuestionID: q.ID}
	var said []string
	value, custom, note := data, false, ""
	if len(data) > 0 && data[0] == '{' {
		var r struct {
			Answer    raw    `json:"answer"`
			Selected  string `json:"selectedOption"`
			WasCustom bool   `json:"wasCustom"`
			Note      string `json:"note"`
		}
		if err := json.Unmarshal(data, &r); err != nil {
			return out, malformed(sayso.QuestionPath(i, -1, "answer"), "cannot be read")
		}
		value, custom, note = r.Answer, r.WasCustom, r.Note
		if r.Selected != "" {
			opt, err := q.OptionNamed(r.Selected, nil)
			if err != nil {
				return out, err
			}
			if opt == nil {
				return out, malformed(sayso.QuestionPath(i, -1, "selectedOption"), "is none of the options")
			}
			said = append(said, r.Selected)
		}
	}
	words, err := readWords(value)
	if err != nil {
		return out, malformed(sayso.QuestionPath(i, -1, "answer"), "is neither words nor a list of words")
	}
	own := "" // seed 1: the last is in the person's own words, whatever it names
	if n := len(words) - 1; custom && n >= 0 {
		own, words = words[n], words[:n]
	}
	if out, err = q.Match(append(said, words...), nil); err != nil {
		return out, err
	}
	if !sayso.Blank(own) {
		if out.Other != "" {
			out.Other += "\n"
		}
		out.Other += own
	}
	if out.Note = note; out.Answered() {
		out.Unanswered = ""
	}
	return out, nil
}

func readWords(data raw) ([]string, error) {
	if len(data) == 0 {
		return nil, nil
	}
	if data[0] == '[' {
		var list []string
		return list, json.Unmarshal(data, &list)
	}
	var one *string
	err := json.Unmarshal(data, &one)
	if err != nil || one == nil {
		return nil, err
	}
	return []string{*one}, nil
}
