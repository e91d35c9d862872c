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
func (w *jsonWriter) answersJSON(all []said, o *sayso.Outcome, key func(i int) string) json.RawMessage {
	w.open('{').key("answers").open('{')
	noted := false
	for i, s := range all {
		if values := s.values(); len(values) > 0 {
			w.key(key(i)).str(strings.Join(values, ", "))
		}
		noted = noted || s.note != ""
	}
	w.close('}')
	if noted {
		w.key("notes").open('{')
		for i, s := range all {
			if s.note != "" {
				w.key(key(i)).str(s.note)
			}
		}
		w.close('}')
	}
	w.reply(o)
	return w.close('}').message()
}

func (w *jsonWriter) reply(o *sayso.Outcome) {
	if reply := unlessBlank(o.Reply); reply != "" && o.Status == sayso.StatusAnswered {
		w.key("reply").str(reply)
	}
}

// noAnswersJSON writes {"answers":{},"note":…}.
func (w *jsonWriter) noAnswersJSON(note string) json.RawMessage {
	return w.open('{').key("answers").open('{').close('}').key("note").str(note).close('}').message()
}

// byIndex is the key of the dialects that know a question by its place.
func byIndex(i int) string { return strconv.Itoa(i) }
