package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
	"github.com/saysohq/sayso/internal/strictjson"
)

// Crush is the question tool of Crush (0.90.0).
//
// The lines of a question's text, of own words and of notes are indented after
// the first, so that none of them can pass for the start of another question or
// answer. Choices come back by their ids; a choice that was sent without one has
// its label as id. The title and description of the confirmation, of which only
// forms have use, are in the ask's Metadata as confirm_title and
// confirm_description, made safe to show.
//
// Crush counts bytes where it limits lengths; this dialect counts characters, and
// a question without a description is taken.
var Crush sayso.Dialect = crush{&crushTool}

const (
	crushMaxQuestion    = 240
	crushMaxDescription = 600
)

type crush struct{ *tool }

// crushMore limits the text of a question, names the options, and keeps what the
// confirmation says.
func crushMore(r *reader, call strictjson.Value, ask *sayso.Ask) {
	for i := range ask.Questions {
		q := &ask.Questions[i]
		if n := utf8.RuneCountInString(q.Text); n > crushMaxQuestion && n <= crushMaxDescription { // Validate has the rest
			r.Add(sayso.ErrTooLong, sayso.QuestionPath(i, -1, "text"), fmt.Sprintf("has %d characters; use at most %d", n, crushMaxQuestion))
		}
		for j := range q.Options {
			crushID(&q.Options[j])
		}
	}
	crushConfirm(ask, call, "confirm_title", sayso.SafeLine)
	crushConfirm(ask, call, "confirm_description", sayso.SafeText)
}

// crushID names an option by its label: the model must know the id that it reads
// in the result.
func crushID(o *sayso.Option) {
	label := strings.TrimSpace(o.Label)
	if o.ID == "" && len(label) <= 128 && sayso.SafeLine(label) == label {
		o.ID = label
	}
}

func crushConfirm(ask *sayso.Ask, v strictjson.Value, name string, safe func(string) string) {
	f, _ := v.Get(name)
	text := strings.TrimSpace(safe(f.Str()))
	if text == "" {
		return
	}
	if ask.Metadata == nil {
		ask.Metadata = map[string]any{}
	}
	ask.Metadata[name] = text
}

func (crush) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	r := &sayso.Result{}
	if o.Status == sayso.StatusAnswered {
		all := saidTo(a, o.Answers)
		list := make([]string, len(all))
		for i, s := range all {
			list[i] = "Q" + strconv.Itoa(i+1) + ": " + indented(s.TextAsAsked()) + "\n" + crushAnswer(s)
		}
		r.Text = withReply(strings.Join(list, "\n\n"), all, o)
		r.Structured = crushOutput(all, o)
		return r, nil
	}
	r.Text = noAnswer(a, o)
	var w jsonWriter
	r.Structured = w.noAnswersJSON("responses", "[]", r.Text)
	switch o.Status {
	case sayso.StatusCancelled:
		r.IsError, r.StopTurn = true, true
		if byPerson(o) {
			r.Text = withReason("User cancelled this question", o)
		}
	case sayso.StatusDeclined, sayso.StatusUnreachable:
		r.IsError = true
	}
	return r, nil
}

func crushAnswer(s said) string {
	var lines []string
	if yes, ok := crushYes(s); ok {
		if yes {
			lines = append(lines, "User answered: yes")
		} else {
			lines = append(lines, "User answered: no")
		}
	} else if len(s.options) > 0 {
		var w jsonWriter
		lines = append(lines, "User selected: "+string(w.strs(s.ids()).buf))
	}
	if s.other != "" {
		lines = append(lines, "User provided: "+indented(s.other))
	}
	if len(lines) == 0 {
		lines = append(lines, "User skipped this question")
	}
	if s.note != "" {
		if len(s.options) == 1 {
			lines = append(lines, "", "Notes:", indented("- ["+s.options[0].ID+"]: "+s.note))
		} else {
			lines = append(lines, "", "Notes:", indented("- "+s.note))
		}
	}
	return strings.Join(lines, "\n")
}

// crushYes returns the answer to a yes_no question, if s is one and has one.
func crushYes(s said) (yes, ok bool) {
	if !slices.Equal(s.Options, yesNo()) || len(s.options) != 1 {
		return false, false
	}
	return s.options[0].ID == "yes", true
}

// crushOutput has the answers as Crush's own API takes them.
func crushOutput(all []said, o *sayso.Outcome) json.RawMessage {
	var w jsonWriter
	w.open('{').key("responses").open('[')
	for _, s := range all {
		w.open('{').key("request_id").str(s.ID)
		if yes, ok := crushYes(s); ok {
			w.key("yes").bool(yes)
		} else if len(s.options) > 0 {
			w.key("selected_ids").strs(s.ids())
		}
		if s.other != "" {
			w.key("fill_in_text").str(s.other)
		}
		if s.note != "" {
			on := "_question"
			if len(s.options) == 1 {
				on = s.options[0].ID
			}
			w.key("notes").open('{').key(on).str(s.note).close('}')
		}
		w.close('}')
	}
	w.close(']')
	w.reply("reply", o)
	return w.close('}').message()
}

var crushLimits = sayso.Limits{
	MaxQuestions: 5, MinOptions: 2, MaxOptions: 5,
	MaxText: crushMaxDescription, MaxBody: crushMaxDescription, MaxLabel: 200,
}

var crushTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "crush",
		Name:        "question",
		Description: crushDescription,
		Limits:      crushLimits,
		Schema: schema.Object(
			schema.Required("questions", schema.Questions(crushLimits, "The questions, 1 to 5", schema.Object(
				schema.Optional("label", schema.String("A short name for the tab, at most 3 words")),
				schema.Required("type", schema.String("How it is answered").With("enum", []string{"yes_no", "single_choice", "multi_choice", "free_text"})),
				schema.Required("question", schema.Text("The question").With("maxLength", crushMaxQuestion)),
				schema.Required("description", schema.String("What the person should know to answer, in Markdown").With("maxLength", crushLimits.MaxBody)),
				schema.Optional("choices", schema.Options(crushLimits, `For the choice types: 2 to 5 choices; no "Other"`, schema.Object(
					schema.Required("id", schema.Text("What comes back when it is chosen, unique in the question")),
					schema.Required("label", schema.Text("What the person sees").With("maxLength", crushLimits.MaxLabel)),
					schema.Optional("description", schema.String("What the choice means").With("maxLength", crushLimits.MaxLabel)),
				))),
			))),
			schema.Optional("confirm_title", schema.String("The heading of the page on which the person confirms all answers")),
			schema.Optional("confirm_description", schema.String("What confirming the answers leads to")),
		).Document(),
	},
	names: []string{".text", ".question", ".options", ".choices", ".header", ".label", ".body", ".description", ".multi", ".type"},
	more:  crushMore,
}

const crushDescription = `Ask the person you work for when you need a decision, a preference or a fact that only they have.

- Ask 1 to 5 questions in one call. Give more than one a confirm_title and a confirm_description for the last page of the form.
- type "yes_no" asks for a confirmation, "single_choice" and "multi_choice" offer 2 to 5 choices, "free_text" asks for words.
- Give every choice an id: it is what you get back. Do not add "Other": the person can always write something else.`
