package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// postToolUse tells the hub what was answered at the terminal, so that every
// surface folds.
func (d *Door) postToolUse(ctx context.Context, e *Event) (*Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	a, refusal := d.prepare(e)
	if refusal != nil {
		return nil, nil
	}
	got, err := readResponse(e.Response)
	if err != nil {
		return nil, err
	}
	t, err := d.find(ctx, a)
	if err != nil || t == nil {
		return nil, err
	}
	if t.Open() {
		_, err := d.hub.Answer(ctx, t, got.outcome(t.Ask))
		var closed *hub.ClosedError
		switch {
		case errors.As(err, &closed):
			return got.differs(closed.Ticket)
		case errors.Is(err, hub.ErrNotAllowed): // the key of an asker never answers
			_, err = d.hub.Withdraw(ctx, t.ID, "answered at the terminal")
			return nil, err
		case err != nil:
			return nil, err
		}
	}
	if t, err = d.hub.Consume(ctx, t.ID); err != nil {
		return nil, err
	}
	return got.differs(&t.Ticket)
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
		v.text = strings.Join(v.list, ", ")
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
		ans := sayso.Answer{QuestionID: q.ID}
		if v, ok := r.Answers[q.TextAsAsked()]; ok {
			ans.Selected, ans.Other = v.choices(q)
		}
		note := r.Annotations[q.TextAsAsked()]
		ans.Note = note.Notes
		if !ans.Answered() {
			ans = sayso.Answer{QuestionID: q.ID, Unanswered: sayso.ReasonSkipped}
			if slices.Contains([]sayso.Reason{sayso.ReasonDismissed, sayso.ReasonRepliedInChat}, note.Unanswered) {
				ans.Unanswered = note.Unanswered
			}
		}
		o.Answers = append(o.Answers, ans)
	}
	return o.Settled()
}

// choices reads the options that the value names, and the own words behind them.
func (v value) choices(q *sayso.Question) (selected []string, other string) {
	if v.list != nil && q.Multi {
		var words []string
		for _, item := range v.list {
			if o, behind := longestLabel(q, item); o != nil && behind == "" && !slices.Contains(selected, o.ID) {
				selected = append(selected, o.ID)
			} else {
				words = append(words, item)
			}
		}
		return selected, strings.Join(words, ", ")
	}
	rest := v.text
	for rest != "" {
		o, behind := longestLabel(q, rest)
		if o == nil || !q.Multi && behind != "" || slices.Contains(selected, o.ID) {
			break
		}
		selected, rest = append(selected, o.ID), behind
	}
	if !q.Multi && rest != "" {
		return nil, v.text
	}
	return selected, rest
}

// longestLabel returns the option whose label the text begins with, and what
// stands behind it.
func longestLabel(q *sayso.Question, text string) (found *sayso.Option, behind string) {
	for i := range q.Options {
		o := &q.Options[i]
		label := o.LabelAsAsked()
		rest, ok := strings.CutPrefix(text, label)
		if !ok || found != nil && len(label) <= len(found.LabelAsAsked()) {
			continue
		}
		if rest != "" {
			if rest, ok = strings.CutPrefix(rest, ", "); !ok || rest == "" {
				continue
			}
		}
		found, behind = o, rest
	}
	return found, behind
}

// differs tells the person at the terminal if another surface has another answer:
// both were given in the same moment, and the model has the one of the terminal.
func (r *response) differs(t *hub.Ticket) (*Reply, error) {
	if t.Outcome.Status != sayso.StatusAnswered || t.Outcome.By.Surface == Surface {
		return nil, nil
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
	if slices.EqualFunc(kept.outcome(t.Ask).Answers, r.outcome(t.Ask).Answers, same) {
		return nil, nil
	}
	return &Reply{Message: fmt.Sprintf(
		"sayso: this question was answered in two places at once. Claude goes on with what was said here; the answer given at %q does not count.",
		sayso.SafeLine(t.Outcome.By.Surface))}, nil
}
