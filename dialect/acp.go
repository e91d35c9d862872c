package dialect

import (
	"encoding/json"

	"github.com/saysohq/sayso"
)

// ACP is the AskUserQuestion tool as an ACP adapter hands it to Claude (seed 2):
// the result is the questions and the answers keyed by question, as JSON, and a
// cancelled question is a denial that interrupts the turn.
//
// The options that were chosen, and own words among several of them, are joined
// by commas into one string. Nothing in it can pass for the answer to another
// question, but a label or own words with a comma look like two items.
//
// How a question becomes a permission request is the business of the ACP door.
var ACP sayso.Dialect = acp{claudeTool.as("acp")}

type acp struct{ *tool }

func (acp) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	r := &sayso.Result{}
	if o.Status == sayso.StatusAnswered {
		r.Structured = claudeOutput(a, o, saidTo(a, o.Answers))
	} else {
		r.IsError = true
		r.StopTurn = o.Status == sayso.StatusCancelled
		r.Structured = acpDeny(a, o)
	}
	r.Text = string(r.Structured)
	return r, nil
}

func acpDeny(a *sayso.Ask, o *sayso.Outcome) json.RawMessage {
	var w jsonWriter
	w.open('{').key("behavior").str("deny").key("message").str(userCancelled(a, o))
	return w.key("interrupt").bool(o.Status == sayso.StatusCancelled).close('}').message()
}

// userCancelled is what the agents of seeds 2 and 3 say without an answer: they
// have words for a person who cancels.
func userCancelled(a *sayso.Ask, o *sayso.Outcome) string {
	if o.Status != sayso.StatusCancelled || !byPerson(o) {
		return noAnswer(a, o)
	}
	s := "User cancelled the question"
	if o.Reason != "" {
		s += ": " + sayso.SafeLine(o.Reason)
	}
	return s
}
