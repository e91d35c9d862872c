package jsonrpc

import (
	"context"
	"errors"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// errLost says that the user interface is gone.
var errLost = errors.New("jsonrpc: the user interface is gone")

// maxTries is how often a user interface is asked again after an answer that does
// not fit the question.
const maxTries = 3

// ask has the ask answered by the program at the other end. It returns when ctx
// ends, and with errLost when the connection does.
func (p *peer) ask(ctx context.Context, m Method, id string, a *sayso.Ask) (*sayso.Outcome, error) {
	if m == AskUserRequest {
		return p.askForm(ctx, id, a)
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		one, err := p.askQuestion(ctx, id, a, i)
		if err != nil {
			return nil, err
		}
		if one.Status != sayso.StatusAnswered {
			return one, nil // of all or none
		}
		o.Answers = append(o.Answers, one.Answers...)
	}
	return o.Settled(), nil
}

// askQuestion sends one question as seed 0 does.
func (p *peer) askQuestion(ctx context.Context, id string, a *sayso.Ask, i int) (*sayso.Outcome, error) {
	q := &a.Questions[i]
	msg := struct {
		Session      string   `json:"session_id"`
		Question     string   `json:"question"`
		Choices      []string `json:"choices,omitempty"`
		Request      string   `json:"request_id"`
		Header       string   `json:"header,omitempty"`
		Descriptions []string `json:"descriptions,omitempty"`
		Multiple     bool     `json:"multiple,omitempty"`
		Secret       bool     `json:"secret,omitempty"`
		Agents       []string `json:"agents,omitempty"`
		Error        string   `json:"error,omitempty"`
	}{Session: a.Origin.Conversation, Question: q.Text, Request: id, Header: q.Header, Multiple: q.Several(), Secret: q.Secret, Agents: a.Origin.Agents}
	described := false
	for _, opt := range q.Options {
		msg.Choices = append(msg.Choices, opt.Label)
		msg.Descriptions = append(msg.Descriptions, opt.Description)
		described = described || opt.Description != ""
	}
	if !described {
		msg.Descriptions = nil
	}
	return tries(func(problem string) (*sayso.Outcome, error) {
		msg.Error = problem
		reply, err := p.call(ctx, string(ClientAskUser), msg)
		if err != nil {
			return nil, err
		}
		return readAnswer(q, reply)
	})
}

// call makes a request of the other side. When ctx ends it returns, but the request
// stays until the other side has answered it: what it sends then is nobody's.
func (p *peer) call(ctx context.Context, method string, params any) (raw, error) {
	type reply struct {
		result raw
		err    error
	}
	got := make(chan reply, 1)
	go func() { // ends with the connection at the latest
		rsp, err := p.srv.Callback(context.Background(), method, params)
		var r reply
		if r.err = err; err == nil {
			r.err = rsp.UnmarshalResult(&r.result)
		}
		got <- r
	}()
	select {
	case r := <-got:
		if r.err != nil && p.isGone() {
			return nil, errLost
		}
		return r.result, r.err
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

// askForm sends the whole form as seed 1 does.
func (p *peer) askForm(ctx context.Context, id string, a *sayso.Ask) (*sayso.Outcome, error) {
	answers := make(chan []byte, 1)
	p.mu.Lock()
	p.waiting[id] = answers
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, id)
	}()
	msg := formOf(id, a)
	return tries(func(problem string) (*sayso.Outcome, error) {
		msg.Error = problem
		if err := p.notify(ctx, string(AskUserRequest), msg); err != nil {
			return nil, errLost
		}
		select {
		case data := <-answers:
			return dialect.ReadPiForm(a, data)
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.gone:
			return nil, errLost
		}
	})
}

// respond hands an ask_user_response to its dialog, if there is one.
func (p *peer) respond(id string, data []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.waiting[id] <- data:
		return true
	default:
		return false
	}
}

// tries asks again, and says why, while the answer does not fit.
func tries(ask func(problem string) (*sayso.Outcome, error)) (*sayso.Outcome, error) {
	problem := ""
	for n := 1; ; n++ {
		o, err := ask(problem)
		var invalid *sayso.InvalidError
		if err == nil || !errors.As(err, &invalid) || n == maxTries {
			return o, err
		}
		problem = strings.TrimPrefix(err.Error(), "sayso: invalid: ")
	}
}

func (p *peer) notify(ctx context.Context, method string, params any) error {
	return p.srv.Notify(ctx, method, params)
}

// withdraw tells the user interface why its dialog is over, if somebody else ended
// it.
func (p *peer) withdraw(ctx context.Context, m Method, id string) {
	if ctx.Err() != nil {
		p.withdrawn(context.WithoutCancel(ctx), m, id, context.Cause(ctx))
	}
}

func (p *peer) withdrawn(ctx context.Context, m Method, id string, why error) {
	method, name := "client/ask_user_withdrawn", "request_id"
	if m == AskUserRequest {
		method, name = "ask_user_withdrawn", "requestId"
	}
	params := map[string]string{name: id, "status": string(sayso.StatusUnreachable), "reason": why.Error()}
	var lost *sayso.SupersededError
	if errors.As(why, &lost) {
		params = map[string]string{name: id, "status": string(lost.Winner.Status)}
		for k, v := range map[string]string{"by": lost.Winner.By.ID, "surface": lost.Winner.By.Surface, "reason": lost.Winner.Reason} {
			if v != "" {
				params[k] = sayso.SafeLine(v)
			}
		}
	}
	p.notify(ctx, method, params)
}

// form is an ask_user_request.
type form struct {
	RequestID string `json:"requestId"`
	*dialect.PiForm
	SessionID string `json:"sessionId,omitempty"`
	Error     string `json:"error,omitempty"`
}

func formOf(id string, a *sayso.Ask) *form {
	return &form{RequestID: id, PiForm: dialect.NewPiForm(a), SessionID: a.Origin.Conversation}
}
