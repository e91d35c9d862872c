package hub_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// TestSharedTickets: what an asker of this process submits is not read again for
// its surfaces, and yet they are shown what is stored, whatever the asker does
// with its ask.
func TestSharedTickets(t *testing.T) {
	t.Parallel()
	text := func(s string) *sayso.Ask {
		return &sayso.Ask{ID: "a", To: []string{"ann"}, Questions: []sayso.Question{{ID: "q1", Text: s, Options: []sayso.Option{{ID: "o1", Label: "Yes"}}}}}
	}
	metadata := text("Go on?")
	metadata.Metadata = map[string]any{"list": []any{"as asked"}}
	for name, a := range map[string]*sayso.Ask{"plain": text("Go on?"), "not UTF-8": text("Go \xff on?"), "metadata": metadata} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := hub.NewMemory(nil)
			h, err := hub.Open(t.Context(), store, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Stop()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var shown [2]chan *hub.Ticket
			listening := make(chan struct{}, len(shown))
			for i := range shown {
				shown[i] = make(chan *hub.Ticket, 8)
				go h.Watch(ctx, "acme", nil, func(c hub.Change) {
					switch {
					case c.Reset:
						select {
						case listening <- struct{}{}:
						default:
						}
					case c.Ticket != nil:
						shown[i] <- c.Ticket
					}
				})
			}
			for range shown {
				<-listening
			}
			asked := make(chan struct{})
			asking, leave := context.WithCancel(ctx)
			go func() {
				defer close(asked)
				h.Ask(asking, "acme", a)
			}()
			one, other := next(t, shown[0]), next(t, shown[1])
			leave()
			<-asked
			a.To[0], a.Questions[0].Text, a.Questions[0].Options[0].Label = "bob", "Stop?", "No"
			if a.Metadata != nil {
				a.Metadata["list"].([]any)[0] = "changed"
			}
			if one != other {
				t.Error("two surfaces have two tickets of one change")
			}
			stored, err := h.Get(ctx, one.Address)
			if err != nil || !reflect.DeepEqual(one.Ask, stored.Ask) {
				t.Errorf("shown %+v\nstored %+v, %v", one.Ask, stored.Ask, err)
			}
		})
	}
}

func next(t *testing.T, c <-chan *hub.Ticket) *hub.Ticket {
	t.Helper()
	select {
	case one := <-c:
		return one
	case <-time.After(30 * time.Second):
		t.Fatal("a surface is told nothing")
		return nil
	}
}
