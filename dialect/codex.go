package dialect

import (
	"encoding/json"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Codex is the request_user_input tool of Codex CLI (0.166.0).
//
// Codex answers in JSON by the ids of the questions, and prefixes every word that
// is not a label with "user_note: ", so nothing that a person writes can pass for
// another answer. Where Codex says {"answers":{}} and not why (a deadline, nobody
// there), a "note" is added that does.
//
// Codex does not hold the model to the 1 to 3 questions and 2 to 3 options that it
// asks for, so neither does this dialect.
var Codex sayso.Dialect = codex{&codexTool}

// CodexAsync is the request_user_input_async tool of Codex CLI (since 0.153): it
// returns at once, and what the person says comes later as a user message.
//
// A pending outcome is the result of the call. The text of any other outcome is
// that message: for an answer, the envelope in which Codex's own app sends it,
// with the question's index in the call as identity.
var CodexAsync sayso.Dialect = codexAsync{&codexAsyncTool}

const (
	codexNote  = "user_note: "
	codexOther = "None of the above"
)

type codex struct{ *tool }

func (d codex) Refuse(e *sayso.InvalidError) *sayso.Result {
	for _, p := range e.Problems {
		if p.Err != sayso.ErrOptionCount || !strings.HasPrefix(p.Message, "has 0 ") {
			return d.tool.Refuse(e)
		}
	}
	return &sayso.Result{Text: "request_user_input requires non-empty options for every question", IsError: true}
}

func (codex) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	var w jsonWriter
	r := &sayso.Result{}
	switch o.Status {
	case sayso.StatusAnswered:
		r.Structured = w.codexAnswers(a, o, o.Answers)
	case sayso.StatusUnanswered:
		r.Structured = w.codexAnswers(a, o, nil)
	default:
		r.Structured = w.noAnswersJSON("answers", "{}", noAnswer(a, o))
	}
	r.Text = string(r.Structured)
	switch o.Status {
	case sayso.StatusCancelled:
		r.Text = withReason("request_user_input was cancelled before receiving a response", o)
		r.IsError, r.StopTurn = true, true
	case sayso.StatusUnreachable:
		r.IsError = true
	}
	return r, nil
}

func (w *jsonWriter) codexAnswers(a *sayso.Ask, o *sayso.Outcome, answers []sayso.Answer) json.RawMessage {
	w.open('{').key("answers").open('{')
	for _, s := range saidTo(a, answers) {
		w.key(s.ID).open('{').key("answers").strs(codexValues(s)).close('}')
	}
	w.close('}')
	w.reply("reply", o)
	if o.Status == sayso.StatusUnanswered && !sayso.Blank(o.Reason) {
		w.key("note").str(noAnswer(a, o))
	}
	return w.close('}').message()
}

// codexValues has the labels first and then the words. Own words instead of an
// option follow the one that Codex offers for that.
func codexValues(s said) []string {
	values := s.labels[:len(s.labels):len(s.labels)]
	if s.other != "" {
		if len(s.labels) == 0 && len(s.Options) > 0 {
			values = append(values, codexOther)
		}
		values = append(values, codexNote+s.other)
	}
	if s.note != "" {
		values = append(values, codexNote+s.note)
	}
	return values
}

type codexAsync struct{ *tool }

func (codexAsync) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	var w jsonWriter
	r := &sayso.Result{}
	switch o.Status {
	case sayso.StatusPending:
		r.Structured = json.RawMessage(`{"accepted":true}`)
		r.Text = string(r.Structured)
	case sayso.StatusAnswered:
		all := saidTo(a, o.Answers)
		w.codexReplies(a, all)
		list := string(w.buf)
		// A tag in own words must not end the envelope.
		r.Text = withReply("<send_user_message_question_reply>\n"+strings.ReplaceAll(list, "<", `\u003c`)+"\n</send_user_message_question_reply>", all, o)
		w = jsonWriter{}
		w.open('{').key("answers").raw(list)
		w.reply("reply", o)
		r.Structured = w.close('}').message()
	default:
		r.Text = noAnswer(a, o)
		r.Structured = w.noAnswersJSON("answers", "[]", r.Text)
		r.IsError = o.Status == sayso.StatusUnreachable
	}
	return r, nil
}

func (w *jsonWriter) codexReplies(a *sayso.Ask, all []said) {
	w.open('[')
	for i, s := range all {
		if !s.answered {
			continue
		}
		id := `["request_user_input_async",` + quote(a.Origin.ToolCall) + "," + byIndex(i, s) + "]"
		w.open('{').key("questionItemId").str(id).key("question").str(s.TextAsAsked()).key("answer").str(strings.Join(s.values(), ", "))
		if s.note != "" {
			w.key("note").str(s.note)
		}
		w.close('}')
	}
	w.close(']')
}

var codexLimits = sayso.Limits{MinOptions: 1, NeedOptions: true}

var codexTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "codex",
		Name:        "request_user_input",
		Description: codexDescription,
		Limits:      codexLimits,
		Schema: schema.Closed(
			schema.Required("questions", schema.Questions(codexLimits, "The questions: best one, at most three", schema.Closed(
				schema.Required("id", schema.Text("The name under which you get the answer back, in snake_case")),
				schema.Required("header", schema.String("A short title, at most 12 characters")),
				schema.Required("question", schema.Text("The question, in one sentence")),
				schema.Required("options", schema.Options(codexLimits, `Two or three choices that exclude one another, the recommended one first; no "Other"`, schema.Closed(
					schema.Required("label", schema.Text("What the person chooses, 1 to 5 words")),
					schema.Required("description", schema.String("What follows from it, in one sentence")),
				))),
			))),
		).Document(),
	},
	names: []string{".text", ".question"},
}

const codexDescription = `Stop and ask the person you work for one to three short questions, and wait for what they say.

- Prefer a single question; ask only what you cannot find out yourself and what would change the work.
- Offer 2 or 3 options for each question that exclude one another, the one you recommend first, with "(Recommended)" at the end of its label.
- Leave out "Other": the person can always refuse all options and write a note.`

var codexAsyncLimits = sayso.Limits{MinOptions: 1}

var codexAsyncTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "codex-async",
		Name:        "request_user_input_async",
		Description: codexAsyncDescription,
		Limits:      codexAsyncLimits,
		Schema: schema.Closed(
			schema.Required("questions", schema.Questions(codexAsyncLimits, "The questions, in the order in which they are shown", schema.Closed(
				schema.Required("title", schema.Text("The whole question")),
				schema.Optional("options", schema.Options(codexAsyncLimits, "Answers to choose from; without them the person writes", schema.Text(""))),
			))),
		).Document(),
	},
	names: []string{".text", ".title", ".label", ""},
}

const codexAsyncDescription = `Put one or more questions to the person you work for and go on working: the call returns at once.

- What they say arrives later as a message of theirs; until then nothing is decided, so do not act as if it were.
- Ask one thing in each question and say in it all that is needed to answer.
- Offer options where you know the likely answers, the one you recommend first; the person can always write something else, so leave out "Other".`
