package dialect

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
)

// answersJSON writes {"answers":{…}} with one value for each answered question,
// under the key that the dialect gives it. Notes and a reply to the whole form,
// for which the agents have no place, are members of their own.
func (w *jsonWriter) answersJSON(all []said, o *sayso.Outcome, key func(i int, s said) string, reply string) json.RawMessage {
	w.open('{').key("answers").open('{')
	noted := false
	for i, s := range all {
		if values := s.values(); len(values) > 0 {
			w.key(key(i, s)).str(strings.Join(values, ", "))
		}
		noted = noted || s.note != ""
	}
	w.close('}')
	if noted {
		w.key("notes").open('{')
		for i, s := range all {
			if s.note != "" {
				w.key(key(i, s)).str(s.note)
			}
		}
		w.close('}')
	}
	w.reply(reply, o)
	return w.close('}').message()
}

// reply writes the reply to the form as a whole, if there is one, under the name.
func (w *jsonWriter) reply(name string, o *sayso.Outcome) {
	if reply := unlessBlank(o.Reply); reply != "" && o.Status == sayso.StatusAnswered {
		w.key(name).str(reply)
	}
}

// noAnswersJSON writes {"answers":{},"note":…}, with the member and the empty
// value of the dialect.
func (w *jsonWriter) noAnswersJSON(member, empty, note string) json.RawMessage {
	return w.open('{').key(member).raw(empty).key("note").str(note).close('}').message()
}

// byIndex is the key of the dialects that know a question by its place.
func byIndex(i int, _ said) string { return strconv.Itoa(i) }

// byText is the key of those that know it by its exact text.
func byText(_ int, s said) string { return s.TextAsAsked() }

// bareAnswer is the result of the dialects that hand on what was said to their
// one question and nothing else.
func bareAnswer(a *sayso.Ask, o *sayso.Outcome) *sayso.Result {
	answer := lines(choiceAndWords(a, o))
	var w jsonWriter
	w.open('{').key("answer").str(answer).close('}')
	return &sayso.Result{Text: answer, Structured: w.message()}
}

// unanswered is the result of the dialects that have no words of their own for an
// outcome.
func unanswered(a *sayso.Ask, o *sayso.Outcome) *sayso.Result {
	return &sayso.Result{Text: noAnswer(a, o), IsError: o.Status == sayso.StatusUnreachable}
}
