package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/saysohq/sayso"
)

// PiForm is an ask as pi's RPC mode sends it to a program that shows it: the
// members of an ask_user_request, without its requestId.
//
// The members that pi has hold everything that a person must see, so that a program
// which knows no others shows it all: the body stands below the text of a question,
// the preview and the marks of an option below its description. The other members
// have the same in parts, for programs that can show it better.
type PiForm struct {
	Questions []PiQuestion   `json:"questions"`
	Metadata  map[string]any `json:"metadata,omitempty"`
	Agents    []string       `json:"agents,omitempty"` // who asks, as it says itself, top agent first

	Asker    string `json:"asker"`              // who asks as far as the hub knows, as [sayso.Origin.Verified] says it
	Claim    string `json:"claim,omitempty"`    // who asks, and where, as it says itself
	Digest   string `json:"digest"`             // of the questions; an answer is bound to them
	Deadline string `json:"deadline,omitempty"` // RFC 3339
}

// PiQuestion is a question of a [PiForm].
type PiQuestion struct {
	Question    string     `json:"question"`
	Header      string     `json:"header,omitempty"`
	Options     []PiOption `json:"options,omitempty"`
	MultiSelect bool       `json:"multiSelect,omitempty"`

	Text   string `json:"text,omitempty"` // Question without the body, where there is one
	Body   string `json:"body,omitempty"`
	Secret bool   `json:"secret,omitempty"`
}

// PiOption is an option of a [PiForm].
type PiOption struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`

	Preview     string `json:"preview,omitempty"`
	Recommended bool   `json:"recommended,omitempty"`
	Danger      bool   `json:"danger,omitempty"`
}

// NewPiForm returns the form of an ask.
func NewPiForm(a *sayso.Ask) *PiForm {
	f := &PiForm{
		Metadata: a.Metadata, Agents: a.Origin.Agents,
		Asker: a.Origin.Verified(), Claim: a.Origin.Claim(), Digest: a.Digest(),
	}
	if !a.Deadline.IsZero() {
		f.Deadline = a.Deadline.Format("2006-01-02T15:04:05Z07:00")
	}
	for i := range a.Questions {
		q := &a.Questions[i]
		one := PiQuestion{Question: q.Text, Header: q.Header, MultiSelect: q.Several(), Secret: q.Secret}
		if q.Body != "" {
			one.Question, one.Text, one.Body = q.Text+"\n\n"+q.Body, q.Text, q.Body
		}
		for j := range q.Options {
			one.Options = append(one.Options, piOption(&q.Options[j]))
		}
		f.Questions = append(f.Questions, one)
	}
	return f
}

// piOption shows the label as pi does, with "(Recommended)" behind it, but safe.
func piOption(o *sayso.Option) PiOption {
	marked := *o
	marked.Danger = false
	p := PiOption{Label: marked.LabelMarked(), Description: o.Description, Preview: o.Preview, Recommended: o.Recommended, Danger: o.Danger}
	if o.Danger {
		p.Description = lines("Marked as dangerous.", p.Description)
	}
	if o.Preview != "" {
		p.Description = lines(p.Description, o.Preview)
	}
	return p
}

// ReadPiForm reads an ask_user_response: the answers in the order of the questions,
// each a text, a list of texts, null, or an object as pi's result has them. A text
// that names an option chooses it, any other is the person's own words. An
// [*sayso.InvalidError] says what does not fit the ask.
func ReadPiForm(a *sayso.Ask, data []byte) (*sayso.Outcome, error) {
	var r struct {
		Answers   []json.RawMessage `json:"answers"`
		Reply     string            `json:"reply"`
		Declined  bool              `json:"declined"`
		Cancelled bool              `json:"cancelled"`
	}
	var e sayso.InvalidError
	if err := json.Unmarshal(data, &r); err != nil {
		e.Add(sayso.ErrMalformed, "answers", "are not a list")
		return nil, &e
	}
	switch {
	case r.Declined:
		return &sayso.Outcome{Status: sayso.StatusDeclined}, nil
	case r.Cancelled:
		return &sayso.Outcome{Status: sayso.StatusCancelled}, nil
	case len(r.Answers) > len(a.Questions):
		e.Add(sayso.ErrMalformed, "answers", fmt.Sprintf("are %d, and there are %d questions", len(r.Answers), len(a.Questions)))
		return nil, &e
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Reply: r.Reply}
	for i, data := range r.Answers {
		ans, err := readPiAnswer(&a.Questions[i], i, data)
		if err != nil {
			return nil, err
		}
		o.Answers = append(o.Answers, ans)
	}
	o = o.Settled()
	return o, a.Check(o)
}

func readPiAnswer(q *sayso.Question, i int, data json.RawMessage) (sayso.Answer, error) {
	bad := func(field, message string) (sayso.Answer, error) {
		var e sayso.InvalidError
		e.Add(sayso.ErrMalformed, sayso.QuestionPath(i, -1, field), message)
		return sayso.Answer{}, &e
	}
	var r struct {
		Answer    json.RawMessage `json:"answer"`
		Selected  string          `json:"selectedOption"`
		WasCustom bool            `json:"wasCustom"`
		Note      string          `json:"note"`
	}
	if r.Answer = data; bytes.HasPrefix(data, []byte("{")) {
		if r.Answer = nil; json.Unmarshal(data, &r) != nil {
			return bad("answer", "cannot be read")
		}
	}
	said, err := piTexts(r.Answer)
	if err != nil {
		return bad("answer", "is neither words nor a list of words")
	}
	own := "" // where wasCustom is true, the last is in the person's own words, whatever it names
	if n := len(said) - 1; r.WasCustom && n >= 0 {
		own, said = said[n], said[:n]
	}
	if r.Selected != "" {
		o, err := q.OptionNamed(r.Selected, nil)
		if err != nil {
			return sayso.Answer{}, err
		}
		if o == nil {
			return bad("selectedOption", "is none of the options")
		}
		said = append([]string{r.Selected}, said...)
	}
	ans, err := q.Match(said, nil)
	if err != nil {
		return sayso.Answer{}, err
	}
	ans.Other, ans.Note = lines(ans.Other, own), r.Note
	if ans.Answered() {
		ans.Unanswered = ""
	}
	return ans, nil
}

func piTexts(data json.RawMessage) ([]string, error) {
	if bytes.HasPrefix(data, []byte("[")) {
		var list []string
		return list, json.Unmarshal(data, &list)
	}
	var one *string
	if len(data) > 0 {
		if err := json.Unmarshal(data, &one); err != nil {
			return nil, err
		}
	}
	if one == nil {
		return nil, nil
	}
	return []string{*one}, nil
}
