package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/saysohq/sayso"
)

// Said returns what was answered at the terminal. Gemini CLI tells it as the text that
// the model reads, which is JSON: the answers by the index of their questions.
func (e *event) Said(a *sayso.Ask) (*sayso.Outcome, error) {
	var r struct {
		Content string `json:"llmContent"`
	}
	if err := json.Unmarshal(e.Response, &r); err != nil {
		return nil, fmt.Errorf("reading the tool's response: %w", err)
	}
	var said struct {
		Answers map[string]string `json:"answers"`
	}
	if json.Unmarshal([]byte(r.Content), &said) != nil || said.Answers == nil {
		return nil, errors.New("the tool's response has no answers")
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		q := &a.Questions[i]
		value, there := said.Answers[strconv.Itoa(i)]
		if !there || sayso.Blank(value) {
			o.Answers = append(o.Answers, sayso.Answer{QuestionID: q.ID, Unanswered: sayso.ReasonSkipped})
			continue
		}
		ans, err := q.Match([]string{value}, &sayso.MatchOptions{Joined: true})
		if err != nil || len(ans.Selected) > 1 && !q.Several() {
			ans = sayso.Answer{QuestionID: q.ID, Other: value} // Gemini CLI has taken it
		}
		o.Answers = append(o.Answers, ans)
	}
	return o.Settled(), nil
}
