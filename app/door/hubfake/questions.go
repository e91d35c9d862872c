package hubfake

import (
	"context"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Questions stands in for a hub: each question is answered by its text, when told
// to. The zero value has none. Of a [hub.Asker] it does what waiting needs.
type Questions struct {
	hub.Asker // nil

	mu   sync.Mutex
	open map[string]chan *sayso.Outcome
}

// Submit takes an ask with one question.
func (q *Questions) Submit(_ context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[string]chan *sayso.Outcome{}
	}
	q.open[a.Questions[0].Text] = make(chan *sayso.Outcome, 1)
	return &hub.Ticket{Handle: a.Questions[0].Text, Ask: a}, nil
}

// Wait waits for [Questions.Reply].
func (q *Questions) Wait(ctx context.Context, question string) (*hub.Ticket, error) {
	q.mu.Lock()
	answer := q.open[question]
	q.mu.Unlock()
	select {
	case o := <-answer:
		answer <- o // for Consume
		return &hub.Ticket{Handle: question, Outcome: o}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Consume takes the answer.
func (q *Questions) Consume(ctx context.Context, question string) (*hub.Ticket, error) {
	t, err := q.Wait(ctx, question)
	if err == nil {
		t.Ask = &sayso.Ask{Questions: []sayso.Question{{ID: "q1", Text: question}}}
	}
	return t, err
}

// Reply answers a question with "to" and its text.
func (q *Questions) Reply(question string) {
	q.mu.Lock()
	answer := q.open[question]
	q.mu.Unlock()
	answer <- &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: "to " + question}}}
}
