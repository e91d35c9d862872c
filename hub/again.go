package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/saysohq/sayso"
)

// Again says that an ask repeats one that was closed.
type Again struct {
	Of string `json:"of"`           // the id of the first
	By string `json:"by,omitempty"` // the person who asked it again
}

// ErrAgain says that an ask cannot be asked again.
var ErrAgain = errors.New("hub: this ask cannot be asked again")

const (
	maxAgain     = 100 // how often an ask can be asked
	maxAgainName = 200 // bytes of an id that can be numbered
)

// AskAgain asks a closed ask once more: by the same asker, in the same conversation, of
// the same people, and without a deadline. The agent's call has ended, so [TakeLate]
// hands the answer on. The closed ask stays as it is. The new one has its id with a
// number behind it, and [Ticket].Again names it.
//
// Only who could answer the ask can ask it again. [ErrOpen] means that it still waits.
// A [*sayso.InvalidError] that is [ErrAgain] says why another cannot be: it is an
// approval, which is about a call that has ended. While the new one is open, doing it
// again changes nothing, whoever does.
func (h *Hub) AskAgain(ctx context.Context, seen *Ticket, by sayso.Responder) (*Ticket, error) {
	t, err := h.get(ctx, seen.Address, seen)
	if err == nil {
		err = t.allows(by, sayso.StatusAnswered, true)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("hub: asking ask %s again: %w", seen.Address.ID, err)
	case by.Kind != sayso.ByPerson:
		return nil, refused(ErrAgain, "", "only a person can ask it again")
	case t.Open():
		return nil, ErrOpen
	case t.Ask.Approval != nil:
		return nil, refused(ErrAgain, "", "it is about a call that has ended; the agent asks if it makes another")
	}
	again := Again{Of: t.Ask.ID, By: by.ID}
	if t.Again != nil {
		again.Of = t.Again.Of
	}
	name := again.Of
	if len(name) > maxAgainName {
		name = "ask_" + shortHash(16, "sayso again 1", name)
	}
	for n := 2; n <= maxAgain; n++ {
		next, err := h.newTicket(ctx, t.Address.Tenant, repeated(t.Ask, fmt.Sprintf("%s-%d", name, n)))
		if err != nil {
			return nil, err
		}
		next.Again = &again
		var other *ChangedError
		switch next, err = h.admit(ctx, next); {
		case errors.As(err, &other), err == nil && !next.Open(): // the id is taken
		default:
			return next, err
		}
	}
	return nil, refused(ErrAgain, "", "it was asked %d times already", maxAgain)
}

// repeated returns the ask under another id, without what was about its call: that has
// ended, and so has the time that it had.
func repeated(a *sayso.Ask, id string) *sayso.Ask {
	c := *a
	c.ID, c.Origin.ToolCall, c.Origin.Traceparent = id, "", ""
	c.AskedAt, c.Deadline, c.OnExpiry, c.Final = time.Time{}, time.Time{}, sayso.Expiry{}, false
	return &c
}

func (in *inbox) AskAgain(ctx context.Context, seen *Ticket) (*Ticket, error) {
	if err := in.owns(seen.Address); err != nil {
		return nil, err
	}
	return in.hub.AskAgain(ctx, seen, in.by)
}
