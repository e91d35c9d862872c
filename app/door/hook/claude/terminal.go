package claude

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Said returns what was answered at the terminal.
func (e *event) Said(a *sayso.Ask) (*sayso.Outcome, error) {
	r, err := readResponse(e.Response)
	if err != nil {
		return nil, err
	}
	return r.outcome(a), nil
}

// response is what the tool returned.
type response struct {
	Answers     map[string]value `json:"answers"`
	Reply       string           `json:"response"`
	Annotations map[string]struct {
		Notes      string       `json:"notes"`
		Unanswered sayso.Reason `json:"unanswered"`
	} `json:"annotations"`
}

// value is an answer: text, in which several choices stand behind each other, or
// a list.
type value struct {
	text string
	list []string
}

func (v *value) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &v.list) == nil {
		return nil
	}
	return json.Unmarshal(b, &v.text)
}

func readResponse(data json.RawMessage) (*response, error) {
	var r response
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("reading the tool's response: %w", err)
	}
	return &r, nil
}

// outcome returns what the person said at the terminal.
func (r *response) outcome(a *sayso.Ask) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Reply: r.Reply}
	for i := range a.Questions {
		q := &a.Questions[i]
		v := r.Answers[q.TextAsAsked()]
		ans, err := v.match(q)
		if err != nil || len(ans.Selected) > 1 && !q.Several() {
			// Claude Code has taken it, so it cannot be refused: it stays words.
			ans = sayso.Answer{QuestionID: q.ID, Other: strings.Join(v.items(), "\n")}
		}
		note := r.Annotations[q.TextAsAsked()]
		if ans.Note = note.Notes; ans.Answered() {
			ans.Unanswered = ""
		} else if slices.Contains([]sayso.Reason{sayso.ReasonDismissed, sayso.ReasonRepliedInChat}, note.Unanswered) {
			ans.Unanswered = note.Unanswered
		}
		o.Answers = append(o.Answers, ans)
	}
	return o.Settled()
}

// match reads the value as an answer. Only a text can have several labels in it.
func (v value) match(q *sayso.Question) (sayso.Answer, error) {
	return q.Match(v.items(), &sayso.MatchOptions{Joined: v.list == nil})
}

// items returns what was said: the list, or the text as its only item.
func (v value) items() []string {
	if v.list != nil {
		return v.list
	}
	return []string{v.text}
}

// differs tells the person at the terminal if another surface has another answer:
// both were given in the same moment, and the model has the one of the terminal.
func (e *event) differs(t *hub.Ticket) (*reply, error) {
	said, err := e.Said(t.Ask)
	if err != nil {
		return nil, err
	}
	res, err := tool.Finish(t.Ask, spoken(t.Ask, t.Outcome))
	if err != nil {
		return nil, err
	}
	kept, err := readResponse(res.Structured)
	if err != nil {
		return nil, err
	}
	same := func(a, b sayso.Answer) bool {
		return a.Other == b.Other && slices.Equal(slices.Sorted(slices.Values(a.Selected)), slices.Sorted(slices.Values(b.Selected)))
	}
	if slices.EqualFunc(kept.outcome(t.Ask).Answers, said.Answers, same) {
		return nil, nil
	}
	return &reply{Message: fmt.Sprintf(
		"sayso: this question was answered in two places at once. Claude goes on with what was said here; the answer given at %q does not count.",
		sayso.SafeLine(t.Outcome.By.Surface))}, nil
}
