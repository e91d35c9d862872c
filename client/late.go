package client

import (
	"context"
	"errors"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// settle is how long an outcome is left to whoever waits for it: an asker that
// is alive has it, and says so, in far less.
const settle = 2 * time.Second

// Late returns what people said in the conversation after the call that asked had
// died, each outcome once: the hub is told that the asker has it, and whoever is
// told first is the one who hands it on. An outcome that is fresh is left to the
// call that may still wait for it.
//
// open is how many asks of the conversation may still become late: they are open,
// or fresh.
func (c *Client) Late(ctx context.Context, conversation string) (late []*Ticket, open int, err error) {
	f := &hub.Filter{Conversation: conversation, Status: hub.AnyStatus, Limit: 1000}
	for {
		page, err := c.List(ctx, f)
		if err != nil {
			return late, open, err
		}
		for _, t := range page.Tickets {
			switch {
			case t.Open():
				open++
			case !t.Consumed.IsZero() || t.Outcome.By.Kind != sayso.ByPerson:
			case time.Since(t.Outcome.At) < settle:
				open++
			default:
				has, err := c.Consume(ctx, t.ID)
				switch {
				case errors.Is(err, hub.ErrOpen): // taken back just now
					open++
				case err != nil:
					return late, open, err
				case !has.Replayed:
					late = append(late, has)
				}
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return late, open, nil
		}
	}
}
