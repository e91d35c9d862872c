package clustertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/historytest"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// newAsk returns an ask of about 700 bytes with one question and two options, to a person.
func newAsk(id, to string) *sayso.Ask {
	a := &sayso.Ask{
		ID: id, To: []string{to},
		Questions: []sayso.Question{{
			ID: "q", Header: "Deploy", Text: "Deploy build 4711 to production?",
			Body:    "The tests have passed. The last deployment was two days ago; forty-one changes are new, none of them touches the schema.",
			Options: []sayso.Option{{Label: "Yes", Description: "Deploy at once, and watch the dashboards"}, {Label: "No", Description: "Keep the build for Monday"}},
		}},
		Origin: sayso.Origin{Conversation: "conversation"},
	}
	return a
}

// saying is an answer in words; they tell whose answer it is.
func saying(text string) *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q", Other: text}}}
}

// said returns the words of a closed ticket's answer.
func said(t *hub.Ticket) string {
	if len(t.Outcome.Answers) != 1 {
		return fmt.Sprintf("%s with %d answers", t.Outcome.Status, len(t.Outcome.Answers))
	}
	return t.Outcome.Answers[0].Other
}

// lane is a way to the hubs, for the asker and for each person.
type lane struct {
	number int
	asker  *client.Client
	people []*client.Client
}

func (c *cluster) lane(number int, r *route) *lane {
	l := &lane{number: number, asker: r.client(c.t, c.asker)}
	for _, key := range c.people {
		l.people = append(l.people, r.client(c.t, key))
	}
	return l
}

// history is what clients did to an ask, and what came of it.
type history struct {
	*historytest.History
	t      testing.TB
	to     int // the person
	ask    *sayso.Ask
	digest string
	handle atomic.Pointer[string]
}

func newHistory(t testing.TB, id string, to int) *history {
	h := &history{History: historytest.New(id), t: t, to: to % persons, ask: newAsk(id, person(to))}
	return h
}

// told is what the caller of an operation now believes.
func told(t *hub.Ticket, err error) historytest.Output { return historytest.Told(t, err, said) }

// attempt is how long an operation may take before its outcome counts as unknown.
const attempt = 2 * time.Second

// do runs an operation and writes it down.
func (h *history) do(ctx context.Context, l *lane, in historytest.Input, limit time.Duration, op func(context.Context) (*hub.Ticket, error)) historytest.Output {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return h.Do(l.number, in, func() historytest.Output {
		t, err := op(ctx)
		out := told(t, err)
		var says *client.Error
		if out.State == historytest.Unknown && errors.As(err, &says) && says.Status < 500 && says.Status != http.StatusTooManyRequests {
			h.t.Errorf("%s of %s: %v", in.Op, h.ID, err) // nothing in these tests may be refused
		}
		if t != nil {
			h.seen(t)
		}
		return out
	})
}

// seen notes by which name the ask can be read.
func (h *history) seen(t *hub.Ticket) {
	if h.handle.Load() == nil {
		h.digest = t.Digest
		h.handle.Store(&t.Handle)
	}
}

func (h *history) submit(ctx context.Context, l *lane) historytest.Output {
	return h.do(ctx, l, historytest.Input{Op: historytest.Submit}, attempt, func(ctx context.Context) (*hub.Ticket, error) { return l.asker.Submit(ctx, h.ask) })
}

// close answers; text tells this answer from all others.
func (h *history) close(ctx context.Context, l *lane, text string) historytest.Output {
	seen := &hub.Ticket{Handle: *h.handle.Load(), Digest: h.digest}
	return h.do(ctx, l, historytest.Input{Op: historytest.Close, Nonce: text}, attempt, func(ctx context.Context) (*hub.Ticket, error) {
		return l.people[h.to].Answer(ctx, seen, saying(text))
	})
}

func (h *history) get(ctx context.Context, l *lane) historytest.Output {
	return h.do(ctx, l, historytest.Input{Op: historytest.Get}, attempt, func(ctx context.Context) (*hub.Ticket, error) { return l.people[h.to].Get(ctx, *h.handle.Load()) })
}

// wait is a get that takes its time.
func (h *history) wait(ctx context.Context, l *lane) historytest.Output {
	return h.do(ctx, l, historytest.Input{Op: historytest.Get}, 2*attempt, func(ctx context.Context) (*hub.Ticket, error) { return l.asker.Wait(ctx, *h.handle.Load()) })
}

// consume says that the asker has the outcome.
func (h *history) consume(ctx context.Context, l *lane) historytest.Output {
	return h.do(ctx, l, historytest.Input{Op: historytest.Consume}, attempt, func(ctx context.Context) (*hub.Ticket, error) { return l.asker.Consume(ctx, *h.handle.Load()) })
}
