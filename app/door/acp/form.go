package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// errNotOurs says that a form cannot be carried by the hub as it is: the editor
// alone is asked.
var errNotOurs = errors.New("acp: the form is not a question that the hub can carry")

// The generic messages over forms of several questions; each has its own text.
var genericMessages = []string{"Please answer the following questions.", "Codex needs your input to continue."}

// form is an elicitation form, read as an ask. Its fields go with its questions.
type form struct {
	ask      *sayso.Ask
	fields   []field
	required bool // it may not come back empty
}

// field says where the answer to a question goes.
type field struct {
	key    string // of the choice, or of the words if there is none
	words  string // of own words beside a choice; empty: there is no place for them
	consts []raw  // the values of the options, in their order
	multi  bool
	other  raw // the value that stands for none of the options, where words need one
}

// elicitation is what elicitation/create sends.
type elicitation struct {
	Mode    string `json:"mode"`
	Message string `json:"message"`
	Session string `json:"sessionId"`
	Call    string `json:"toolCallId"`
	Schema  struct {
		Properties raw      `json:"properties"`
		Required   []string `json:"required"`
	} `json:"requestedSchema"`
}

// property is one of the form's.
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	OneOf       []choice `json:"oneOf"`
	Enum        []string `json:"enum"`
	EnumNames   []string `json:"enumNames"`
	Items       struct {
		AnyOf []choice `json:"anyOf"`
		OneOf []choice `json:"oneOf"`
		Enum  []string `json:"enum"`
	} `json:"items"`
	Meta struct {
		Codex *struct {
			Secret bool `json:"isSecret"`
		} `json:"codex"`
	} `json:"_meta"`
}

type choice struct {
	Const       string `json:"const"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Meta        struct {
		Claude struct {
			Description string `json:"description"`
			Preview     string `json:"preview"`
		} `json:"_claude/askUserQuestionOption"`
	} `json:"_meta"`
}

// isOwnField reports whether a field is the one for own words in a form of sayso's MCP
// server, which the agent shows for it: that question is in the hub already.
func isOwnField(key string, data raw) bool {
	var p property
	return strings.HasPrefix(key, "question_") && strings.HasSuffix(key, "_custom") && json.Unmarshal(data, &p) == nil &&
		p.Title == "Other" && p.Description == "Your own answer, or a note on the option you chose above (optional)."
}

// readForm reads the parameters of elicitation/create.
func readForm(params []byte) (*form, error) {
	if sayso.CheckJSON(params) != nil {
		return nil, errNotOurs
	}
	var e elicitation
	if json.Unmarshal(params, &e) != nil || e.Mode != "form" {
		return nil, errNotOurs
	}
	f := &form{ask: &sayso.Ask{Dialect: "acp", Origin: sayso.Origin{Conversation: e.Session, ToolCall: e.Call}}}
	err := eachMember(e.Schema.Properties, func(key string, data raw) error {
		if isOwnField(key, data) {
			return errNotOurs
		}
		return f.property(key, data)
	})
	if err != nil || len(f.fields) == 0 {
		return nil, errNotOurs
	}
	for i := range f.fields {
		d := &f.fields[i]
		if d.consts == nil {
			continue
		}
		if d.words == "" {
			return nil, errNotOurs // own words would have no place
		}
		if slices.Contains(e.Schema.Required, d.key) && d.other == nil {
			return nil, errNotOurs // they could not stand alone
		}
	}
	f.required = len(e.Schema.Required) > 0
	f.message(e.Message)
	f.ask.Normalize()
	if f.ask.Validate(sayso.Limits{}) != nil {
		return nil, errNotOurs
	}
	return f, nil
}

// message puts the text over the form where it belongs: it is the question, if
// there is only one and it has no text of its own.
func (f *form) message(text string) {
	first := &f.ask.Questions[0]
	switch {
	case len(f.fields) == 1 && first.Text == "":
		first.Text = text
	case !slices.Contains(genericMessages, text):
		first.Body = text
	}
	for i := range f.ask.Questions {
		if q := &f.ask.Questions[i]; q.Text == "" {
			q.Text = q.Header
		}
	}
}

// property adds a question, or the place for own words to one before it.
func (f *form) property(key string, data raw) error {
	var p property
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	if p.Meta.Codex != nil && p.Meta.Codex.Secret {
		return errNotOurs
	}
	q := sayso.Question{Header: p.Title, Text: p.Description}
	if p.Meta.Codex != nil { // which has them the other way round
		q.Header, q.Text = p.Description, p.Title
	}
	d := field{key: key}
	switch choices := p.choices(); {
	case p.Type == "string" && len(choices) == 0:
		if of := f.wordsOf(key); of != nil {
			of.words = key
			return nil
		}
	case p.Type == "string" || p.Type == "array" && len(choices) > 0:
		d.multi, q.Multi = p.Type == "array", p.Type == "array"
		d.consts = make([]raw, 0, len(choices))
		for _, c := range choices {
			if sayso.Blank(c.Const) {
				return errNotOurs // the agent could not tell it from no answer
			}
			value, err := json.Marshal(c.Const)
			if err != nil {
				return err
			}
			d.consts = append(d.consts, value)
			if c.Const == "None of the above" {
				d.other = value
			}
			q.Options = append(q.Options, c.option())
		}
	default:
		return errNotOurs // numbers and yes or no have no place for words
	}
	f.fields = append(f.fields, d)
	f.ask.Questions = append(f.ask.Questions, q)
	return nil
}

// wordsOf returns the choice beside which the property is for own words.
func (f *form) wordsOf(key string) *field {
	for i := range f.fields {
		d := &f.fields[i]
		if rest, ok := strings.CutPrefix(key, d.key); ok && d.consts != nil && d.words == "" &&
			(rest == "_custom" || rest == "_note" || rest == "__other") {
			return d
		}
	}
	return nil
}

func (p *property) choices() []choice {
	all := slices.Concat(p.OneOf, p.Items.AnyOf, p.Items.OneOf)
	for i, name := range slices.Concat(p.Enum, p.Items.Enum) {
		c := choice{Const: name}
		if i < len(p.EnumNames) {
			c.Title = p.EnumNames[i]
		}
		all = append(all, c)
	}
	return all
}

func (c *choice) option() sayso.Option {
	o := sayso.Option{Label: c.Title, Description: c.Description, Preview: c.Meta.Claude.Preview}
	if o.Label == "" || strings.HasPrefix(o.Label, c.Const+" — ") { // older adapters add the description
		o.Label = c.Const
	}
	if o.Description == "" {
		o.Description = c.Meta.Claude.Description
	}
	return o
}

// eachMember calls fn for the members of an object, in their order.
func eachMember(object raw, fn func(key string, value raw) error) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return errNotOurs
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value raw
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := fn(key.(string), value); err != nil {
			return err
		}
	}
	return nil
}
