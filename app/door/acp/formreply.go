package acp

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/saysohq/sayso"
)

// elicited is the reply to elicitation/create.
type elicited struct {
	Action  string         `json:"action"`
	Content map[string]raw `json:"content,omitempty"`
}

// reply spells an outcome as the reply to the form. What no person decided is a
// cancel: dismissed, without a choice.
func (f *form) reply(o *sayso.Outcome) any {
	o = o.Settled()
	content := map[string]raw{}
	accept := map[string]any{"action": "accept", "content": content}
	switch {
	case o.Status == sayso.StatusAnswered:
	case o.Status == sayso.StatusUnanswered && !f.required:
		return accept // handed back empty
	case o.Status == sayso.StatusDeclined, o.Status == sayso.StatusUnanswered:
		return elicited{Action: "decline"}
	default:
		return elicited{Action: "cancel"}
	}
	reply := o.Reply
	for i := range f.fields {
		d, q := &f.fields[i], &f.ask.Questions[i]
		a, _ := o.Answer(q.ID)
		d.fill(content, q, a)
		if reply != "" { // in the first place for words that is free
			key := d.key
			if d.consts != nil {
				key = d.words
			}
			if content[key] == nil {
				d.fill(content, q, sayso.Answer{Selected: a.Selected, Other: reply})
				reply = ""
			}
		}
	}
	return accept
}

// fill puts an answer where it belongs.
func (d *field) fill(content map[string]raw, q *sayso.Question, a sayso.Answer) {
	words := a.Other
	switch {
	case words == "":
		words = a.Note
	case a.Note != "":
		words += "\n" + a.Note
	}
	if d.consts == nil {
		if words != "" {
			content[d.key] = quoted(words)
		}
		return
	}
	var chosen []raw
	for i, opt := range q.Options {
		if slices.Contains(a.Selected, opt.ID) {
			chosen = append(chosen, d.consts[i])
		}
	}
	if words != "" {
		content[d.words] = quoted(words)
		if len(chosen) == 0 && d.other != nil {
			chosen = []raw{d.other}
		}
	}
	switch {
	case len(chosen) == 0:
	case d.multi:
		list, _ := json.Marshal(chosen)
		content[d.key] = list
	default:
		content[d.key] = chosen[0]
	}
}

func quoted(s string) raw {
	b, _ := json.Marshal(s)
	return b
}

// read reads a reply to the form.
func (f *form) read(result []byte) (*sayso.Outcome, error) {
	if err := sayso.CheckJSON(result); err != nil {
		return nil, fmt.Errorf("acp: the reply to a form: %w", err)
	}
	var e elicited
	if err := json.Unmarshal(result, &e); err != nil {
		return nil, fmt.Errorf("acp: the reply to a form: %w", err)
	}
	switch e.Action {
	case "accept":
	case "decline":
		return &sayso.Outcome{Status: sayso.StatusDeclined}, nil
	case "cancel":
		return &sayso.Outcome{Status: sayso.StatusCancelled}, nil
	default:
		return nil, fmt.Errorf("acp: the reply to a form has the action %.40q", e.Action)
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range f.fields {
		a, err := f.fields[i].read(e.Content, &f.ask.Questions[i])
		if err != nil {
			return nil, err
		}
		o.Answers = append(o.Answers, a)
	}
	o = o.Settled()
	if err := f.ask.Check(o); err != nil {
		return nil, fmt.Errorf("acp: the reply to a form: %w", err)
	}
	return o, nil
}

func (d *field) read(content map[string]raw, q *sayso.Question) (sayso.Answer, error) {
	bad := func(key string) error { return fmt.Errorf("acp: the reply to a form: %q cannot be read", key) }
	selected, ok := d.chosen(content[d.key], q)
	if !ok {
		return sayso.Answer{}, bad(d.key)
	}
	at := d.words
	if d.consts == nil {
		at = d.key
	}
	var words string
	if !readString(content[at], &words) {
		return sayso.Answer{}, bad(at)
	}
	return answerOf(q, selected, words, nil)
}

// chosen returns the options that a value stands for, and whether it stands for any.
func (d *field) chosen(value raw, q *sayso.Question) (selected []string, ok bool) {
	var values []string
	switch {
	case d.consts == nil || value == nil:
		return nil, true
	case d.multi:
		if json.Unmarshal(value, &values) != nil {
			return nil, false
		}
	default:
		var one string
		if !readString(value, &one) {
			return nil, false
		}
		if one != "" {
			values = []string{one}
		}
	}
	for _, v := range values {
		i := slices.IndexFunc(d.consts, func(have raw) bool { return string(have) == string(quoted(v)) })
		if i < 0 {
			return nil, false
		}
		selected = append(selected, q.Options[i].ID)
	}
	return selected, true
}

// readString reads a string that may be missing or null.
func readString(data raw, into *string) bool {
	return data == nil || json.Unmarshal(data, into) == nil
}
