package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Late returns what the model is told with the next prompt of a session: the answers
// that came after their calls had ended, each once. It is empty if there are none.
//
// What an earlier process left open when it was killed is withdrawn, if it is a request
// for permission: its call no longer waits.
func (b *Bridge) Late(ctx context.Context, session string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	err := b.endApprovals(ctx, session)
	late, _, err2 := hub.TakeLate(ctx, b.hub, session, time.Now())
	b.mu.Lock()
	late = append(b.owed[session], late...)
	delete(b.owed, session)
	b.mu.Unlock()
	return hub.LateText(late), errors.Join(err, err2)
}

// endApprovals withdraws the requests for permission of a session that are not open
// here.
func (b *Bridge) endApprovals(ctx context.Context, session string) error {
	waiting := map[string]bool{}
	b.mu.Lock()
	for _, q := range b.open {
		waiting[q.Ask.Digest()] = true
	}
	b.mu.Unlock()
	var left []*hub.Ticket
	err := hub.Each(ctx, b.hub, &hub.Filter{Conversation: session, Status: sayso.StatusPending}, func(t *hub.Ticket) bool {
		if t.Ask.Approval != nil && t.Ask.Origin.Host == b.opts.Host && !waiting[t.Digest] {
			left = append(left, t)
		}
		return true
	})
	for _, t := range left {
		err = errors.Join(err, b.withdraw(t, sayso.StatusCancelled, "the agent has gone, and its session went on"))
	}
	return err
}
