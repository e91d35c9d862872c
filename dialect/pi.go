package dialect

import (
	"encoding/json"
	"strconv"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Pi is the ask_user tool of the pi coding agent (seed 1): a list of questions,
// or one question with suggestions, and a JSON object as the result.
//
// The text is unambiguous. Where wasCustom is true, answer holds the person's own
// words, for a multiple choice as its last item; an option that was chosen beside
// them is selectedOption. A question left open has the answer null.
//
// An ask whose outcome is unreachable and names a surface was on that surface when
// its connection was lost; without a surface nobody could be asked at all.
//
// Result.Structured is what pi keeps in the details of its tool result for
// replay, branching and compaction: the same fields, and the questions,
// answeredAt in milliseconds, mode and metadata.
var Pi sayso.Dialect = pi{tool: &piTool}

// PiPrint is [Pi] for its print mode, in which nobody can be asked on the spot:
// an ask that is left pending is told with the file that holds its questions, and
// how to answer it.
func PiPrint(file string) sayso.Dialect { return pi{&piTool, file} }

type pi struct {
	*tool
	file string // where print mode keeps the questions; empty in the other modes
}

func (d pi) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	var w jsonWriter
	w.open('{')
	d.result(&w, a, o)
	text := len(w.buf)
	if err := d.details(&w, a, o); err != nil {
		return nil, err
	}
	r := &sayso.Result{
		Text:       string(w.buf[:text]) + "}",
		Structured: w.close('}').message(),
		IsError:    o.Status == sayso.StatusUnreachable,
	}
	if o.Status == sayso.StatusPending && d.file != "" {
		r.Text = "Questions pending. User input required.\n\n" +
			"To answer, re-run with:\n  pi -p @" + d.file + " \"your answers\"\n\n" +
			"Or edit the JSON file and run:\n  pi -c\n\n" +
			"Questions saved to: " + d.file
	}
	return r, nil
}

// result writes what the model reads. Whoever cancels a form discards all of it:
// there are answers only where the outcome is answered.
func (d pi) result(w *jsonWriter, a *sayso.Ask, o *sayso.Outcome) {
	w.key("answered").bool(o.Status == sayso.StatusAnswered)
	if o.Status == sayso.StatusUnreachable && o.By.Surface != "" {
		w.key("connectionLost").bool(true)
		if o.Reason != "" {
			w.key("message").str(noAnswer(a, o))
		}
		return
	}
	w.key("answers").open('[')
	if o.Status == sayso.StatusAnswered {
		for _, s := range saidTo(a, o.Answers) {
			piAnswer(w, s)
		}
	}
	w.close(']')
	switch o.Status {
	case sayso.StatusAnswered:
		w.reply("reply", o)
		return
	case sayso.StatusPending:
		if d.file != "" {
			w.key("pendingFile").str(d.file)
			return
		}
	}
	flag := string(o.Status)
	if o.Status == sayso.StatusDeclined {
		flag = "cancelled" // pi's one word for a person who does not want to answer
	}
	w.key(flag).bool(true)
	if o.Status != sayso.StatusCancelled || o.Reason != "" || !byPerson(o) {
		w.key("message").str(noAnswer(a, o))
	}
}

func piAnswer(w *jsonWriter, s said) {
	note := s.note
	if len(s.labels) == 0 && s.other == "" {
		s.other, note = s.note, "" // a remark on no choice is the person's own words
	}
	w.open('{').key("question").str(s.TextAsAsked()).key("answer")
	switch {
	case !s.answered:
		w.raw("null")
	case s.Several():
		w.strs(s.values())
	case s.other != "":
		w.str(s.other)
	default:
		w.str(s.labels[0])
	}
	if !s.Several() && len(s.labels) > 0 {
		w.key("selectedOption").str(s.labels[0])
	}
	w.key("wasCustom").bool(s.other != "")
	if note != "" {
		w.key("note").str(note)
	}
	w.close('}')
}

// details writes what pi keeps in the session beside the result.
func (d pi) details(w *jsonWriter, a *sayso.Ask, o *sayso.Outcome) error {
	w.key("questions").open('[')
	for i := range a.Questions {
		q := &a.Questions[i]
		w.open('{').key("question").str(q.TextAsAsked())
		if h := q.HeaderAsAsked(); h != "" {
			w.key("header").str(h)
		}
		if len(q.Options) > 0 {
			w.key("options").open('[')
			for j := range q.Options {
				opt := &q.Options[j]
				w.open('{').key("label").str(opt.LabelAsAsked())
				if opt.Description != "" {
					w.key("description").str(opt.Description)
				}
				w.close('}')
			}
			w.close(']')
		}
		if q.Several() {
			w.key("multiSelect").bool(true)
		}
		w.close('}')
	}
	w.close(']')
	if o.Status == sayso.StatusAnswered && !o.At.IsZero() {
		w.key("answeredAt").raw(strconv.FormatInt(o.At.UnixMilli(), 10))
	}
	w.key("mode").str(d.mode(o))
	if a.Metadata == nil {
		return nil
	}
	metadata, err := json.Marshal(a.Metadata)
	w.key("metadata").raw(string(metadata))
	return err
}

func (d pi) mode(o *sayso.Outcome) string {
	if d.file != "" {
		return "print"
	}
	switch o.By.Surface {
	case "", "terminal", "prompt":
		return "interactive"
	}
	return "rpc"
}

var piLimits = sayso.Limits{MaxQuestions: 20, MaxOptions: 20}

var piTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "pi",
		Name:        "ask_user",
		Description: piDescription,
		Limits:      piLimits,
		Schema: schema.Object(
			schema.Optional("questions", schema.Questions(piLimits, "The questions", schema.Object(
				schema.Required("question", schema.Text("The question")),
				schema.Optional("header", schema.String("A title that says what it is about")),
				schema.Optional("options", schema.Options(piLimits, "Answers to choose from; none asks for words", schema.Object(
					schema.Required("label", schema.Text("What the person sees and chooses")),
					schema.Optional("description", schema.String("What choosing it means")),
				))),
				schema.Optional("multiSelect", several()),
			))),
			schema.Optional("question", schema.Text("One question, in place of questions")),
			schema.Optional("suggestions", schema.Options(piLimits, "Quick answers to the one question", schema.Text(""))),
			schema.Optional("metadata", schema.Object().With("additionalProperties", true).Describe("For the record; not shown")),
		).Document(),
	},
	names: usualNames(),
}

const piDescription = `Ask the person you work for one or more questions and wait for the answers. Use it for a choice between ways that are all right, for requirements you cannot find out by yourself, and before a change that is hard to undo.

- Offer options with a short description each; the person can always answer in their own words instead. Leave options out to ask for words.
- Put the option you would choose first and end its label with "(Recommended)".
- Ask what belongs together in one call, and not more than 3 to 5 questions.
- Do not ask what the context tells you or what was answered before.
- For one plain question, send question, and suggestions if you have some, in place of questions.
- When nobody is there to answer, the questions are kept for later: do not assume an answer.`
