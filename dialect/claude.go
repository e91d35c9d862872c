package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Claude is the AskUserQuestion tool of Claude Code, with the words that its
// current builds (2.1.325) hand to the model.
//
// The text does not escape quotes, so own words can imitate another question's
// answer in it: read Result.Structured, which cannot be forged.
var Claude sayso.Dialect = claude{claudeTool.as("claude"), claudeNow}

// ClaudeOlder is [Claude] with the words of builds before 2.1.216.
var ClaudeOlder sayso.Dialect = claude{claudeTool.as("claude-older"), claudeThen}

type claude struct {
	*tool
	words func([]said) string
}

func (d claude) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	r := &sayso.Result{}
	var all []said
	switch o.Status {
	case sayso.StatusAnswered:
		all = saidTo(a, o.Answers)
		r.Text = d.words(all)
		if reply := unlessBlank(o.Reply); reply != "" {
			r.Text = "The user responded: " + reply
		}
	case sayso.StatusDeclined, sayso.StatusCancelled:
		r.IsError = true
		r.StopTurn = o.Status == sayso.StatusCancelled
		r.Text = noAnswer(a, o)
		if byPerson(o) {
			r.Text = "The user doesn't want to proceed with this tool use. The tool use was rejected."
			if o.Reason != "" {
				r.Text += " To tell you how to proceed, the user said:\n" + sayso.SafeText(o.Reason)
			}
		}
	default:
		r.Text = noAnswer(a, o)
		r.IsError = o.Status == sayso.StatusUnreachable
	}
	r.Structured = claudeOutput(a, o, all)
	return r, nil
}

// claudeNow has two wordings: one for a form in which every answer is an option
// that was offered, and a careful one as soon as the person used words.
func claudeNow(all []said) string {
	list, words := claudeList(all, " notes: ")
	if words {
		return "The user answered: " + list + ". Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say."
	}
	return "Your questions have been answered: " + list + ". You can now continue with these answers in mind."
}

func claudeThen(all []said) string {
	list, _ := claudeList(all, " user notes: ")
	return "User has answered your questions: " + list + ". You can now continue with the user's answers in mind."
}

func claudeList(all []said, notes string) (list string, words bool) {
	var b strings.Builder
	for _, s := range all {
		if !s.answered {
			continue
		}
		value, note := claudeAnswer(s)
		words = words || claudeHasWords(s, note)
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(`"` + s.TextAsAsked() + `"=`)
		if value == "" {
			b.WriteString("(no option selected)")
		} else {
			b.WriteString(`"` + value + `"`)
		}
		if p := claudePreview(s); p != "" {
			b.WriteString(" selected preview:\n" + p)
		}
		if note != "" {
			b.WriteString(notes + note)
		}
	}
	return b.String(), words
}

// claudeAnswer returns the value and the note of an answer. Own words beside the
// one option of a single choice are a note on it.
func claudeAnswer(s said) (value, note string) {
	if s.Several() || len(s.labels) == 0 || s.other == "" {
		return strings.Join(s.values(), ", "), s.note
	}
	note = s.other
	if s.note != "" {
		note += "; " + s.note
	}
	return s.labels[0], note
}

// claudeHasWords reports whether Claude Code would take the answer for words: it
// does so, too, for a list with a quote in one of its labels.
func claudeHasWords(s said, note string) bool {
	return note != "" || s.other != "" ||
		len(s.labels) > 1 && slices.ContainsFunc(s.labels, func(l string) bool { return strings.Contains(l, `"`) })
}

func claudePreview(s said) string {
	if s.Several() || len(s.options) == 0 {
		return ""
	}
	return s.options[0].Preview
}

// claudeOutput is the tool's structured output: the questions, and the answers
// keyed by the exact text of the question.
func claudeOutput(a *sayso.Ask, o *sayso.Outcome, all []said) json.RawMessage {
	var w jsonWriter
	w.open('{')
	claudeQuestions(&w, a)
	w.key("answers").open('{')
	for _, s := range all {
		if value, _ := claudeAnswer(s); value != "" {
			w.key(s.TextAsAsked()).str(value)
		}
	}
	w.close('}')
	w.reply("response", o)
	claudeAnnotations(&w, o, all)
	return w.close('}').message()
}

func claudeQuestions(w *jsonWriter, a *sayso.Ask) {
	w.key("questions").open('[')
	for i := range a.Questions {
		q := &a.Questions[i]
		w.open('{').key("question").str(q.TextAsAsked()).key("header").str(q.HeaderAsAsked())
		w.key("options").open('[')
		for j := range q.Options {
			opt := &q.Options[j]
			w.open('{').key("label").str(opt.LabelAsAsked()).key("description").str(opt.Description)
			if opt.Preview != "" {
				w.key("preview").str(opt.Preview)
			}
			w.close('}')
		}
		w.close(']').key("multiSelect").bool(q.Several()).close('}')
	}
	w.close(']')
}

func claudeAnnotations(w *jsonWriter, o *sayso.Outcome, all []said) {
	begun := false
	for _, s := range all {
		_, note := claudeAnswer(s)
		preview := claudePreview(s)
		ans, _ := o.Answer(s.ID)
		if note == "" && preview == "" && (s.answered || ans.Unanswered == "") {
			continue
		}
		if !begun {
			w.key("annotations").open('{')
			begun = true
		}
		w.key(s.TextAsAsked()).open('{')
		if preview != "" {
			w.key("preview").str(preview)
		}
		if note != "" {
			w.key("notes").str(note)
		}
		if !s.answered {
			w.key("unanswered").str(string(ans.Unanswered))
		}
		w.close('}')
	}
	if begun {
		w.close('}')
	}
}

var claudeLimits = sayso.Limits{
	MaxQuestions: 4, MinOptions: 2, MaxOptions: 4,
	NeedOptions: true, NeedHeader: true, UniqueText: true,
}

var claudeTool = tool{
	spec: sayso.ToolSpec{
		Name:        "AskUserQuestion",
		Description: claudeDescription,
		Limits:      claudeLimits,
		Schema: schema.Closed(
			schema.Required("questions", schema.Questions(claudeLimits, "The questions, 1 to 4", schema.Closed(
				schema.Required("question", schema.Text("The whole question, ending in a question mark")),
				schema.Required("header", schema.Text("A very short name for a chip or tab, at most 12 characters")),
				schema.Required("options", schema.Options(claudeLimits, `The choices, 2 to 4, different from each other; no "Other"`, schema.Closed(
					schema.Required("label", schema.Text("What the person sees and chooses, 1 to 5 words")),
					schema.Required("description", schema.String("What choosing it means or leads to")),
					schema.Optional("preview", schema.String("Markdown or code shown beside the option while it is highlighted")),
				))),
				schema.Required("multiSelect", several()),
			))),
			source(schema.Object),
		).Document(),
	},
	names: usualNames(),
}

const claudeDescription = `Ask the person you work for when a decision is theirs to make and you cannot settle it from the request, the code or sensible defaults.

- Ask 1 to 4 questions in one call, each with 2 to 4 options.
- Do not offer an "Other" option: the person can always answer in their own words.
- Put the option you would choose first and end its label with "(Recommended)".
- Set multiSelect when several options can hold together.
- Give a preview where seeing the result (a layout, a snippet) helps to choose.`
