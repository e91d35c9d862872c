package jsonrpc

import (
	"context"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// question is a client/ask_user. The members that seed 0 has hold everything that a
// person must see of the question, for programs that know no others: what an option
// has beside its label stands below the text. The other members have it in parts.
type question struct {
	Session  string   `json:"session_id"`
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`

	Request      string     `json:"request_id"`
	Header       string     `json:"header,omitempty"`
	Kind         sayso.Kind `json:"kind"`
	Text         string     `json:"text,omitempty"` // Question without what stands below it
	Body         string     `json:"body,omitempty"`
	Descriptions []string   `json:"descriptions,omitempty"`
	Previews     []string   `json:"previews,omitempty"`
	Recommended  []bool     `json:"recommended,omitempty"`
	Danger       []bool     `json:"danger,omitempty"`
	Multiple     bool       `json:"multiple,omitempty"`
	Secret       bool       `json:"secret,omitempty"`

	Agents   []string `json:"agents,omitempty"`
	Asker    string   `json:"asker"`
	Claim    string   `json:"claim,omitempty"`
	Deadline string   `json:"deadline,omitempty"`
	HeldUp   string   `json:"held_up,omitempty"`
	Needs    string   `json:"needs,omitempty"`
	Notice   string   `json:"notice,omitempty"`
	Warning  string   `json:"warning,omitempty"`
	Error    string   `json:"error,omitempty"`
}

func questionOf(id string, a *sayso.Ask, i int) *question {
	q, form := &a.Questions[i], dialect.NewPiForm(a)
	m := &question{
		Session: a.Origin.Conversation, Question: q.Text, Request: id, Header: q.Header,
		Kind: sayso.ByKind(q, sayso.KindText, sayso.KindChoice, sayso.KindChoices),
		Body: q.Body, Multiple: q.Several(), Secret: q.Secret,
		Agents: form.Agents, Asker: form.Asker, Claim: form.Claim, Deadline: form.Deadline,
		HeldUp: a.HeldUp().String(), Needs: a.Needs(), Notice: a.Notice(), Warning: a.Warning(),
	}
	for _, o := range q.Options {
		m.Choices = append(m.Choices, o.Label)
		m.Descriptions = append(m.Descriptions, o.Description)
		m.Previews = append(m.Previews, o.Preview)
		m.Recommended = append(m.Recommended, o.Recommended)
		m.Danger = append(m.Danger, o.Danger)
	}
	more := q.Body != ""
	more = unlessZero(&m.Descriptions) || more
	more = unlessZero(&m.Previews) || more
	more = unlessZero(&m.Recommended) || more
	if more = unlessZero(&m.Danger) || more; more {
		m.Question, m.Text = strings.TrimSuffix(sayso.RenderForm(a, i), "\n"), q.Text
	}
	return m
}

// unlessZero leaves a list out that says nothing about any option.
func unlessZero[T comparable](list *[]T) bool {
	var zero T
	for _, v := range *list {
		if v != zero {
			return true
		}
	}
	*list = nil
	return false
}

// showQuestions sends the questions one by one, as seed 0 does, but for those whose
// answers are kept.
func (x *exchange) showQuestions(ctx context.Context, a *sayso.Ask, kept map[string]sayso.Answer, problem string) (*sayso.Outcome, error) {
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		q := &a.Questions[i]
		ans, ok := kept[q.ID]
		if !ok {
			msg := questionOf(x.id, a, i)
			msg.Error, problem = problem, ""
			reply, err := x.call(ctx, string(ClientAskUser), msg)
			if err != nil {
				return nil, err
			}
			one, err := readAnswer(q, reply)
			if err != nil {
				return nil, err
			}
			if one.Status != sayso.StatusAnswered {
				return one, nil // of all or none
			}
			ans = one.Answers[0]
			kept[q.ID] = ans
		}
		o.Answers = append(o.Answers, ans)
	}
	return o.Settled(), nil
}

// call makes a request of the other side. When ctx ends it returns, but the request
// stays until the other side has answered it: what it sends then is nobody's.
func (p *peer) call(ctx context.Context, method string, params any) (raw, error) {
	type result struct {
		raw raw
		err error
	}
	got := make(chan result, 1)
	go func() { // ends with the connection at the latest
		rsp, err := p.srv.Callback(context.Background(), method, params)
		var r result
		if r.err = err; err == nil {
			r.err = rsp.UnmarshalResult(&r.raw)
		}
		got <- r
	}()
	select {
	case r := <-got:
		if r.err != nil && p.isGone() {
			return nil, errLost
		}
		return r.raw, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.gone:
		return nil, errLost
	}
}

func (p *peer) isGone() bool {
	select {
	case <-p.stream.closed:
		return true
	default:
		return false
	}
}
