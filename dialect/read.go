package dialect

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/strictjson"
)

// The names under which models are known to write a field, the usual first. All
// dialects understand all of them: a model that mixes dialects is still understood.
var (
	namesQuestions   = []string{"questions"}
	namesText        = []string{"question", "prompt", "text", "title"}
	namesHeader      = []string{"header", "label"}
	namesBody        = []string{"body", "message", "description", "placeholder"}
	namesOptions     = []string{"options", "choices", "suggestions", "follow_up"}
	namesMulti       = []string{"multiSelect", "multi_select", "multiple", "allowMultiple", "multi"}
	namesLabel       = []string{"label", "text", "title", "name", "value"}
	namesDescription = []string{"description"}
	namesPreview     = []string{"preview"}
	namesRecommended = []string{"recommended"}
	namesID          = []string{"id"}
	namesSecret      = []string{"secret", "isSecret"}
	namesType        = []string{"type"}
)

// reader reads the arguments of a call and collects every problem it meets; at
// and option say where it is, in the canonical form.
type reader struct {
	sayso.InvalidError
	at, option int
}

func newReader() *reader { return &reader{at: -1, option: -1} }

func (r *reader) malformed(field, message string) {
	r.Add(sayso.ErrMalformed, sayso.QuestionPath(r.at, r.option, field), message)
}

func (r *reader) wrongKind(field string, v strictjson.Value, want string) {
	r.malformed(field, "is "+a(v.Kind())+"; send "+want)
}

// open parses the arguments of a call into an object. Arguments that arrive as
// JSON inside a string are unpacked.
func (r *reader) open(arguments json.RawMessage) (strictjson.Value, bool) {
	v, err := strictjson.Parse(arguments)
	if err == nil && v.Kind() == strictjson.String {
		v, err = strictjson.Parse([]byte(v.Str()))
	}
	if err != nil {
		r.malformed("arguments", "cannot be read as JSON: "+err.Error())
		return v, false
	}
	if v.Kind() != strictjson.Object {
		r.wrongKind("arguments", v, "an object")
		return v, false
	}
	return v, true
}

// member returns the first member that has one of the names and is not null.
func member(v strictjson.Value, names []string) (strictjson.Value, bool) {
	for _, name := range names {
		if f, ok := v.Get(name); ok && f.Kind() != strictjson.Null {
			return f, true
		}
	}
	return strictjson.Value{}, false
}

// str reads a string. Numbers and booleans are taken as they are written.
func (r *reader) str(v strictjson.Value, field string, names []string) string {
	f, ok := member(v, names)
	if !ok {
		return ""
	}
	switch f.Kind() {
	case strictjson.String:
		return f.Str()
	case strictjson.Number, strictjson.Bool:
		return f.Raw()
	}
	r.wrongKind(field, f, "a string")
	return ""
}

// text reads a string of several lines, in which some models write line breaks
// as a backslash and an n.
func (r *reader) text(v strictjson.Value, field string, names []string) string {
	return unescapeNewlines(r.str(v, field, names))
}

func unescapeNewlines(s string) string {
	if !strings.Contains(s, `\n`) || strings.ContainsRune(s, '\n') || strings.Contains(s, `:\`) {
		return s // no literal \n, real line breaks besides, or a Windows path
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, `\r\n`, "\n"), `\n`, "\n")
}

// flag reads a boolean, also one that was written as a string.
func (r *reader) flag(v strictjson.Value, field string, names []string) bool {
	f, ok := member(v, names)
	if !ok {
		return false
	}
	switch f.Kind() {
	case strictjson.Bool:
		return f.Bool()
	case strictjson.String:
		if b, err := strconv.ParseBool(strings.ToLower(f.Str())); err == nil {
			return b
		}
	}
	r.wrongKind(field, f, "true or false")
	return false
}

// list reads an array, also one that arrives as JSON inside a string, and takes
// a lone object for a list of one.
func (r *reader) list(v strictjson.Value, field string, names []string) []strictjson.Value {
	f, ok := member(v, names)
	if !ok {
		return nil
	}
	if f.Kind() == strictjson.String {
		inner, err := strictjson.Parse([]byte(f.Str()))
		if err != nil {
			r.wrongKind(field, f, "an array")
			return nil
		}
		f = inner
	}
	switch f.Kind() {
	case strictjson.Object:
		return []strictjson.Value{f}
	case strictjson.Array:
		list := make([]strictjson.Value, f.Len())
		for i := range list {
			list[i] = f.Index(i)
		}
		return list
	}
	r.wrongKind(field, f, "an array")
	return nil
}

// ask reads a call of the usual shape: a list of questions, or one question that
// was written without the list.
func (r *reader) ask(v strictjson.Value) *sayso.Ask {
	ask := &sayso.Ask{Metadata: metadata(v)}
	if _, ok := member(v, namesQuestions); !ok {
		_, text := member(v, namesText)
		_, options := member(v, namesOptions)
		if text || options {
			r.at = 0
			ask.Questions = []sayso.Question{r.question(v)}
		}
		return ask
	}
	list := r.list(v, "questions", namesQuestions)
	ask.Questions = make([]sayso.Question, len(list))
	for i := range list {
		r.at = i
		ask.Questions[i] = r.question(list[i])
	}
	return ask
}

func (r *reader) question(v strictjson.Value) sayso.Question {
	switch v.Kind() {
	case strictjson.String:
		return sayso.Question{Text: unescapeNewlines(v.Str())}
	case strictjson.Object:
	default:
		r.wrongKind("", v, "an object")
		return sayso.Question{}
	}
	text, raw := r.questionText(v)
	q := sayso.Question{
		ID:      r.str(v, "id", namesID),
		Header:  r.str(v, "header", namesHeader),
		Text:    text,
		RawText: raw,
		Body:    r.text(v, "body", namesBody),
		Options: r.options(v, namesOptions),
		Multi:   r.flag(v, "multi", namesMulti),
		Secret:  r.flag(v, "secret", namesSecret),
	}
	r.questionType(v, &q)
	return q
}

// questionType applies the type of a question, for the dialects that have one.
// Types that nobody knows change nothing: the options say enough.
func (r *reader) questionType(v strictjson.Value, q *sayso.Question) {
	switch strings.ToLower(r.str(v, "type", namesType)) {
	case "text", "free_text":
		q.Options, q.Multi = nil, false
	case "yesno", "yes_no":
		if len(q.Options) == 0 {
			q.Options, q.Multi = yesNo(), false
		}
	case "multi_choice":
		q.Multi = true
		r.needOptions(q)
	case "choice", "single_choice":
		r.needOptions(q)
	}
}

func yesNo() []sayso.Option {
	return []sayso.Option{{ID: "yes", Label: "Yes"}, {ID: "no", Label: "No"}}
}

func (r *reader) needOptions(q *sayso.Question) {
	if len(q.Options) == 0 {
		r.Add(sayso.ErrOptionCount, sayso.QuestionPath(r.at, -1, "options"), "has 0 options; a choice needs at least 2")
	}
}

// questionText reads the text of a question, and what was sent where that is not
// the same: some agents know a question by its exact text.
func (r *reader) questionText(v strictjson.Value) (text, raw string) {
	sent := r.str(v, "text", namesText)
	if text = unescapeNewlines(sent); text != sent {
		raw = sent
	}
	return text, raw
}

func (r *reader) options(v strictjson.Value, names []string) []sayso.Option {
	list := r.list(v, "options", names)
	if len(list) == 0 {
		return nil
	}
	options := make([]sayso.Option, len(list))
	for i := range list {
		r.option = i
		options[i] = r.anOption(list[i])
	}
	r.option = -1
	return options
}

func (r *reader) anOption(v strictjson.Value) sayso.Option {
	switch v.Kind() {
	case strictjson.String:
		return sayso.Option{Label: v.Str()}
	case strictjson.Number, strictjson.Bool:
		return sayso.Option{Label: v.Raw()}
	case strictjson.Object:
	default:
		r.wrongKind("", v, "an object with a label")
		return sayso.Option{}
	}
	return sayso.Option{
		ID:          r.str(v, "id", namesID),
		Label:       r.str(v, "label", namesLabel),
		Description: r.text(v, "description", namesDescription),
		Preview:     r.text(v, "preview", namesPreview),
		Recommended: r.flag(v, "recommended", namesRecommended),
	}
}

func metadata(v strictjson.Value) map[string]any {
	f, ok := v.Get("metadata")
	if !ok {
		return nil
	}
	m, _ := f.Any().(map[string]any)
	return m
}

func a(k strictjson.Kind) string {
	switch k {
	case strictjson.Null:
		return "null"
	case strictjson.Array, strictjson.Object:
		return "an " + k.String()
	}
	return "a " + k.String()
}
