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

// TakeLate returns what people said to the questions that a session asked with the tools
// of sayso's MCP server, and that no call was told of, each once.
func (n *Notes) TakeLate(ctx context.Context, h hub.Asker, agent, session string) (late []*hub.Ticket, err error) {
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
		case t.Open(), note.Through.Life() != Gone && time.Since(t.Outcome.At) < mayBeLeft:
			continue
		case t.Outcome.Status != sayso.StatusAnswered && !t.Outcome.By.Kind.Human():
			n.Forget(note.Handle) // nobody said anything
			continue
		}
		has, e := h.Consume(ctx, note.Handle)
		if errors.Is(e, hub.ErrOpen) {
			continue // taken back just now
		}
		if err = errors.Join(err, e); e != nil {
			continue
		}
		n.Forget(note.Handle)
		if !has.Replayed {
			late = append(late, has)
		}
	}
	slices.SortFunc(late, func(a, b *hub.Ticket) int { return a.Ask.AskedAt.Compare(b.Ask.AskedAt) })
	return late, err
}
