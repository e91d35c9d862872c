package jsonrpc

import (
	"encoding/json"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// readAnswer reads the result of client/ask_user: pi's response to a form of one
// question. A question of a form that is sent one by one may stay blank while others
// are answered, so what says nothing is not settled yet.
func readAnswer(q *sayso.Question, data []byte) (*sayso.Outcome, error) {
	var r struct {
		Answer    raw  `json:"answer"`
		Declined  bool `json:"declined"`
		Cancelled bool `json:"cancelled"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		var e sayso.InvalidError
		e.Add(sayso.ErrMalformed, "", "is not an object with an answer")
		return nil, &e
	}
	if len(r.Answer) == 0 {
		r.Answer = raw("null")
	}
	form, err := json.Marshal(map[string]any{"answers": []raw{r.Answer}, "declined": r.Declined, "cancelled": r.Cancelled})
	if err != nil {
		return nil, err
	}
	o, err := dialect.ReadPiForm(&sayso.Ask{Questions: []sayso.Question{*q}}, form)
	if err == nil && o.Status == sayso.StatusUnanswered {
		o.Status = sayso.StatusAnswered
	}
	return o, err
}
