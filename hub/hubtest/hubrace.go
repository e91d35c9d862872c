package hubtest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/saysohq/sayso/hub"
)

const rivals = 64

// testRivals has 64 people answer the same ask at once, over and over. One wins;
// the 63 others are all told of that one; whoever waits gets that one.
func (s *suite) testRivals(t *testing.T) {
	store := s.new(t)
	peer := s.peer(t, store)
	hubs := []*hub.Hub{s.open(t, store), s.open(t, peer), s.open(t, store)}
	for n := range s.Races {
		if !s.race(t, hubs, fmt.Sprint("race ", n)) {
			return
		}
	}
	t.Logf("%d asks, %d rivals each", s.Races, rivals)
}

func (s *suite) race(t *testing.T, hubs []*hub.Hub, id string) bool {
	ctx := within(t)
	open := must[*hub.Ticket](t)(hubs[0].Submit(ctx, tenant, newAsk(id)))
	done := waitFor(ctx, hubs[0], open.Address)
	start := make(chan struct{})
	var mu sync.Mutex
	var winners []string
	told := map[string]int{}
	var wg sync.WaitGroup
	for i := range rivals {
		wg.Go(func() {
			h, who := hubs[i%len(hubs)], fmt.Sprint("rival ", i)
			seen := open
			if i%4 == 3 { // as a surface that has only a link
				seen = &hub.Ticket{Address: open.Address, Digest: open.Digest}
			}
			<-start
			ticket, err := h.Close(ctx, seen, says(who, fmt.Sprint("o", 1+i%2)), nil)
			var closed *hub.ClosedError
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				winners = append(winners, choice(ticket.Outcome))
				if ticket.Replayed || ticket.Outcome.By.ID != who {
					t.Errorf("%s won with %+v", who, ticket)
				}
			case errors.As(err, &closed):
				told[choice(closed.Ticket.Outcome)]++
			default:
				t.Errorf("%s: %v", who, err)
			}
		})
	}
	close(start)
	wg.Wait()
	if len(winners) != 1 || len(told) != 1 || told[winners[0]] != rivals-1 {
		t.Errorf("%s: winners %q, and the others were told %v", id, winners, told)
		return false
	}
	if got := choice(get(t, done).Outcome); got != winners[0] {
		t.Errorf("%s: %q won, the agent is told %q", id, winners[0], got)
		return false
	}
	return true
}
