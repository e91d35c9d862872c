package qwen

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
)

// heading is how the result of a question that was answered begins.
const heading = "User has provided the following answers:\n\n"

// Said returns what was answered at the terminal. Qwen Code tells it as the text that
// the model reads: a line for each question, under its header.
func (e *event) Said(a *sayso.Ask) (*sayso.Outcome, error) {
	var r struct {
		Content string `json:"llmContent"`
	}
	if err := json.Unmarshal(e.Response, &r); err != nil {
		return nil, fmt.Errorf("reading the tool's response: %w", err)
	}
	rest, ok := strings.CutPrefix(r.Content, heading)
	if !ok {
		return nil, errors.New("the tool's response has no answers")
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		q := &a.Questions[i]
		value, there := line(rest, q, i)
		if !there {
			o.Answers = append(o.Answers, sayso.Answer{QuestionID: q.ID, Unanswered: sayso.ReasonSkipped})
			continue
		}
		for j := i + 1; j < len(a.Questions); j++ {
			if at := strings.Index(value, "\n"+header(&a.Questions[j], j)); at >= 0 {
				value = value[:at]
			}
		}
		o.Answers = append(o.Answers, answer(q, value))
	}
	return o.Settled(), nil
}

// line returns what stands behind the header of a question, to the end of the text.
func line(text string, q *sayso.Question, i int) (string, bool) {
	h := header(q, i)
	if after, ok := strings.CutPrefix(text, h); ok {
		return after, true
	}
	_, after, ok := strings.Cut(text, "\n"+h)
	return after, ok
}

func header(q *sayso.Question, i int) string {
	name := q.HeaderAsAsked()
	if name == "" {
		name = "Question " + strconv.Itoa(i+1)
	}
	return "**" + name + "**: "
}

// answer reads a value. Qwen Code has taken it, so it cannot be refused: what is no
// option stays words.
func answer(q *sayso.Question, value string) sayso.Answer {
	ans, err := q.Match([]string{value}, &sayso.MatchOptions{Joined: true})
	if err != nil || len(ans.Selected) > 1 && !q.Several() {
		return sayso.Answer{QuestionID: q.ID, Other: value}
	}
	return ans
}
