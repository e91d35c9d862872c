package dialect

import (
	"encoding/json"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
	"github.com/saysohq/sayso/internal/strictjson"
)

// CopilotForm is the ask_user tool of GitHub Copilot CLI (1.0.102) in a terminal: a
// message, and a JSON schema whose properties are the questions. [Copilot] is its older
// form, which the SDK still has.
//
// Result.Structured is what a handler of Copilot's elicitations returns: an action and,
// by property, what was chosen or written. Own words beside a choice and notes are in a
// property of ours with "_note" behind its name, a reply to the form as a whole is in
// "reply". The text is the line that Copilot makes of that; it says nothing about where a
// value ends, so it does not read back. Only a person's outcome has an action.
var CopilotForm sayso.Dialect = copilotForm{&copilotFormTool}

type copilotForm struct{ *tool }

// Parse reads a message and a schema; a call of the usual shape is understood, too.
func (t copilotForm) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	r := newReader()
	v, ok := r.open(arguments)
	if !ok {
		return nil, r.OrNil()
	}
	form, ok := member(v, []string{"requestedSchema"})
	if !ok {
		return r.ask(v), r.OrNil()
	}
	properties, _ := form.Get("properties")
	if properties.Kind() != strictjson.Object {
		r.malformed("requestedSchema", "has no properties; send an object of them")
		return nil, r.OrNil()
	}
	ask := &sayso.Ask{}
	for name, p := range properties.Members() {
		r.at = len(ask.Questions)
		ask.Questions = append(ask.Questions, r.property(name, p))
	}
	r.message(v, ask)
	return ask, r.OrNil()
}

// message puts the text over the form where it belongs: it is the question, if there is
// only one.
func (r *reader) message(v strictjson.Value, ask *sayso.Ask) {
	if len(ask.Questions) == 0 {
		return
	}
	r.at = 0
	q := &ask.Questions[0]
	text := r.text(v, "text", []string{"message", "question"})
	if len(ask.Questions) > 1 || text == "" {
		q.Body = strings.TrimPrefix(text+"\n\n"+q.Body, "\n\n")
		return
	}
	q.Header, q.Text = q.Text, text
}

// property reads a property of the schema as a question.
func (r *reader) property(name string, p strictjson.Value) sayso.Question {
	q := sayso.Question{ID: name, Text: name}
	if p.Kind() != strictjson.Object {
		r.wrongKind("", p, "an object with a type")
		return q
	}
	if title := r.str(p, "header", []string{"title"}); title != "" {
		q.Text = title
	}
	q.Body = r.text(p, "body", namesDescription)
	switch kind := r.str(p, "type", namesType); kind {
	case "boolean":
		q.Options = yesNo()
		q.Options[0].RawLabel, q.Options[1].RawLabel = "true", "false"
	case "array":
		items, _ := p.Get("items")
		q.Options, q.Multi = r.consts(items), true
	case "string", "":
		q.Options = r.consts(p)
	case "number", "integer":
	default:
		r.malformed("type", "is "+quote(kind)+`; send "string", "array", "boolean", "number" or "integer"`)
	}
	return q
}

// consts reads the values that a schema allows, as options: people see the title, and
// the asker reads the value.
func (r *reader) consts(p strictjson.Value) []sayso.Option {
	if p.Kind() != strictjson.Object {
		return nil
	}
	var options []sayso.Option
	add := func(value strictjson.Value, title, description string) {
		r.option = len(options)
		o := r.anOption(value)
		if title != "" && title != o.Label {
			o.Label, o.RawLabel = title, o.Label
		}
		o.Description = description
		options = append(options, o)
	}
	names := r.list(p, "options", []string{"enumNames"})
	for i, v := range r.list(p, "options", []string{"enum"}) {
		title := ""
		if i < len(names) {
			title = names[i].Str()
		}
		add(v, title, "")
	}
	for _, v := range r.list(p, "options", []string{"oneOf", "anyOf"}) {
		if value, ok := v.Get("const"); ok {
			add(value, r.str(v, "label", []string{"title"}), r.text(v, "description", namesDescription))
		} else {
			r.malformed("options", "has a choice without a const")
		}
	}
	r.option = -1
	return options
}

// told is a member of the content of a form.
type told struct {
	key    string
	values []string
	kind   byte // of the value in JSON: a list, a literal or a string
}

func (copilotForm) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	var w jsonWriter
	if o.Status != sayso.StatusAnswered {
		r := unanswered(a, o)
		if dismissed(o) {
			action := map[bool]string{false: "decline", true: "cancel"}[o.Status == sayso.StatusCancelled]
			r.Structured = w.open('{').key("action").str(action).close('}').message()
		}
		return r, nil
	}
	w.open('{').key("action").str("accept").key("content").open('{')
	var text []string
	all := copilotContent(a, o)
	for _, m := range all {
		value := strings.Join(m.values, ", ")
		switch w.key(m.key); m.kind {
		case '[':
			w.strs(m.values)
		case 't':
			w.raw(value)
		default:
			w.str(value)
		}
		if len(all) > 1 {
			value = m.key + "=" + value
		}
		text = append(text, value)
	}
	w.close('}').close('}')
	return &sayso.Result{Text: "User responded: " + strings.Join(text, ", "), Structured: w.message()}, nil
}

// copilotContent returns the content of an answered form, in the order of its questions.
func copilotContent(a *sayso.Ask, o *sayso.Outcome) (all []told) {
	for _, s := range saidTo(a, o.Answers) {
		words := s.note
		switch {
		case s.Several() && len(s.values()) > 0:
			all = append(all, told{s.ID, s.values(), '['})
		case len(s.labels) > 0:
			words = s.remarks()
			all = append(all, told{s.ID, s.labels, literal(s)})
		case s.other != "":
			all = append(all, told{s.ID, []string{s.other}, '"'})
		}
		if words != "" {
			all = append(all, told{free(a, s.ID+"_note"), []string{words}, '"'})
		}
	}
	if reply := unlessBlank(o.Reply); reply != "" {
		all = append(all, told{free(a, "reply"), []string{reply}, '"'})
	}
	return all
}

// literal tells yes and no of a boolean from the options of other questions.
func literal(s said) byte {
	id, value := s.options[0].ID, s.labels[0]
	if len(s.labels) == 1 && (id == "yes" && value == "true" || id == "no" && value == "false") {
		return 't'
	}
	return '"'
}

// free returns a name that no question has.
func free(a *sayso.Ask, name string) string {
	for a.Question(name) != nil {
		name += "_"
	}
	return name
}

var copilotFormLimits = sayso.Limits{MaxQuestions: 20, MinOptions: 1, MaxOptions: 20}

var copilotFormTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "copilot-form",
		Name:        "ask_user",
		Description: copilotFormDescription,
		Limits:      copilotFormLimits,
		Schema: schema.Object(
			schema.Required("message", schema.Text("What you ask, in one or two sentences")),
			schema.Required("requestedSchema", schema.Object(
				schema.Required("properties", schema.New(`The questions by name, each a JSON Schema with a title: a string, with enum or with oneOf of const and title if there are choices; an array of such strings if several may be chosen; a boolean, number or integer`, "object")),
				schema.Optional("required", schema.Array("The names of those that must have a value", 0, 0, schema.String(""))),
			).Describe("The form that the person fills in")),
		).Document(),
	},
	names: []string{".text", ".title", "questions", "properties"},
}

const copilotFormDescription = `Ask the person you work for, with a form, and wait for the answer. Use it when a decision is theirs and you cannot settle it yourself.

- Offer choices where the likely answers are known, the one you would choose first.
- Do not add a choice such as "Other": the person can always answer in their own words.
- Keep forms short: one question is best.`
