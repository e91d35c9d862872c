package hubfake

import (
	"context"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Slow is a hub that stores an ask at once, and says so a second later.
type Slow struct{ hub.Asker }

// Submit stores the ask, even if ctx ends meanwhile.
func (s Slow) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	t, err := s.Asker.Submit(context.WithoutCancel(ctx), a)
	select {
	case <-time.After(time.Second):
		return t, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
