package hubfake

import (
	"context"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// Questions stands in for a hub: each question is answered by its text, when told
// to. The zero value has none.
type Questions struct {
	mu   sync.Mutex
	open map[string]chan *sayso.Outcome
}

// Submit takes an ask with one question.
func (q *Questions) Submit(_ context.Context, a *sayso.Ask) (*client.Ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[string]chan *sayso.Outcome{}
	}
	q.open[a.Questions[0].Text] = make(chan *sayso.Outcome, 1)
	return &client.Ticket{ID: a.ID, Ticket: hub.Ticket{Ask: a}}, nil
}

// Await waits for [Questions.Reply].
func (q *Questions) Await(ctx context.Context, t *client.Ticket) (*client.Ticket, error) {
	q.mu.Lock()
	answer := q.open[t.Ask.Questions[0].Text]
	q.mu.Unlock()
	select {
	case o := <-answer:
		done := *t
		done.Outcome = o
		return &done, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Reply answers a question with "to" and its text.
func (q *Questions) Reply(question string) {
	q.mu.Lock()
	answer := q.open[question]
	q.mu.Unlock()
	answer <- &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: "to " + question}}}
}
