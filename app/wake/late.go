package wake

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// mayBeLeft is how long an answer is left to the MCP server that may still wait for it.
const mayBeLeft = 2 * time.Second

// mayChange is for how long an answer that the agent has is looked at again: the person
// may change it, or ask the question again.
const mayChange = 24 * time.Hour

// TakeLate returns what people said to the questions that a session asked with the tools
// of sayso's MCP server, and that no call was told of, each once. What a person asked
// again is among them.
func (n *Notes) TakeLate(ctx context.Context, h hub.Asker, agent, session string) (late []*hub.Ticket, err error) {
	take := func(t *hub.Ticket) {
		has, e := h.Consume(ctx, t.Handle)
		switch {
		case errors.Is(e, hub.ErrOpen): // taken back just now
		case e != nil:
			err = errors.Join(err, e)
		case !has.Replayed:
			late = append(late, has)
		}
	}
	ended := map[string][]string{} // the ids of asks that are over, by conversation
	for _, note := range n.AskedBy(agent, session) {
		if note.Through == "" {
			continue // of the agent's own tool
		}
		t, e := h.Get(ctx, note.Handle)
		switch {
		case errors.Is(e, hub.ErrNotFound) || errors.Is(e, hub.ErrHandle):
			n.Forget(note.Handle)
			continue
		case e != nil:
			err = errors.Join(err, e)
			continue
		case t.Open():
			continue
		case !t.Consumed.IsZero(): // the agent has it
			if time.Since(t.Consumed) > mayChange {
				n.Forget(note.Handle)
				continue
			}
		case !said(t):
			if time.Since(t.Outcome.At) > mayChange {
				n.Forget(note.Handle)
				continue
			}
		case note.Through.Life() != Gone && time.Since(t.Outcome.At) < mayBeLeft:
		default:
			take(t)
		}
		in := t.Ask.Origin.Conversation
		ended[in] = append(ended[in], t.Ask.ID)
	}
	for in, ids := range ended {
		err = errors.Join(err, hub.Each(ctx, h, &hub.Filter{Conversation: in, Status: hub.AnyStatus, Unconsumed: true}, func(t *hub.Ticket) bool {
			if !t.Open() && t.Consumed.IsZero() && said(t) && t.Again != nil && slices.Contains(ids, t.Again.Of) {
				take(t)
			}
			return true
		}))
	}
	slices.SortFunc(late, func(a, b *hub.Ticket) int { return a.Ask.AskedAt.Compare(b.Ask.AskedAt) })
	return late, err
}

// said reports whether somebody said something to an ask that is closed.
func said(t *hub.Ticket) bool {
	return t.Outcome.Status == sayso.StatusAnswered || t.Outcome.By.Kind.Human()
}
