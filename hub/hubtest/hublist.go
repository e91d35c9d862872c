package hubtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// ids lists to the end and returns the ids, sorted.
func ids(t *testing.T, in func(*hub.Filter) (*hub.Tickets, error), f hub.Filter) []string {
	t.Helper()
	var all []string
	for range 1000 {
		page := must[*hub.Tickets](t)(in(&f))
		for _, ticket := range page.Tickets {
			all = append(all, ticket.Address.ID)
		}
		if page.Next == "" {
			slices.Sort(all)
			return all
		}
		f.Cursor = page.Next
	}
	t.Fatal("the list does not end")
	return nil
}

func (s *suite) testList(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h := s.open(t, store)
	for _, a := range []*sayso.Ask{newAsk("all"), newAsk("alice", "alice"), newAsk("bob", "bob"), newAsk("both", "alice", "bob")} {
		for _, conversation := range []string{"c1", "c2"} {
			c := a.Clone()
			c.Origin.Conversation = conversation
			c.ID += " " + conversation
			must[*hub.Ticket](t)(h.Submit(ctx, tenant, c))
		}
	}
	must[*hub.Ticket](t)(h.Submit(ctx, "other", newAsk("foreign")))
	s.closed(t, h, "done", says("alice", "o1"))
	s.closed(t, h, "gone", withdrawn())
	for _, c := range []struct {
		f    hub.Filter
		want []string
	}{
		{hub.Filter{}, []string{"alice c1", "alice c2", "all c1", "all c2", "bob c1", "bob c2", "both c1", "both c2"}},
		{hub.Filter{Person: "alice"}, []string{"alice c1", "alice c2", "all c1", "all c2", "both c1", "both c2"}},
		{hub.Filter{Person: "carol"}, []string{"all c1", "all c2"}},
		{hub.Filter{Conversation: "c2"}, []string{"alice c2", "all c2", "bob c2", "both c2"}},
		{hub.Filter{Person: "bob", Conversation: "c1"}, []string{"all c1", "bob c1", "both c1"}},
		{hub.Filter{Status: sayso.StatusAnswered}, []string{"done"}},
		{hub.Filter{Status: sayso.StatusCancelled}, []string{"gone"}},
		{hub.Filter{Status: sayso.StatusExpired}, nil},
		{hub.Filter{Status: hub.AnyStatus, Person: "carol"}, []string{"all c1", "all c2", "done", "gone"}},
	} {
		for _, c.f.Limit = range []int{0, 1, 2} {
			var got []string
			eventually(t, fmt.Sprintf("%+v lists %q", c.f, c.want), func() bool {
				got = ids(t, func(f *hub.Filter) (*hub.Tickets, error) { return h.List(ctx, tenant, f) }, c.f)
				return slices.Equal(got, c.want)
			})
		}
	}
	if _, err := h.List(ctx, "", nil); err == nil {
		t.Error("a list without a tenant")
	}
	if _, err := h.List(ctx, tenant, &hub.Filter{Person: "alice", Cursor: "?"}); err == nil {
		t.Error("a list with a made up cursor")
	}
}

// testHubListPages pages through an inbox while others answer.
func (s *suite) testHubListPages(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	const n = 60
	tickets := map[string]*hub.Ticket{}
	for i := range n {
		a := newAsk(fmt.Sprint(i))
		if i%2 == 0 {
			a.To = []string{"alice"}
		}
		tickets[a.ID] = must[*hub.Ticket](t)(h.Submit(ctx, tenant, a))
	}
	in := h.Inbox(tenant, person("alice"))
	eventually(t, "the inbox is full", func() bool {
		return len(ids(t, func(f *hub.Filter) (*hub.Tickets, error) { return in.List(ctx, f) }, hub.Filter{})) == n
	})
	answered := map[string]bool{}
	pages := 0
	got := ids(t, func(f *hub.Filter) (*hub.Tickets, error) {
		page, err := in.List(ctx, f)
		if pages++; pages%2 == 0 {
			id := fmt.Sprint(n - pages)
			answered[id] = true
			must[*hub.Ticket](t)(in.Close(ctx, tickets[id], says("", "o1")))
		}
		return page, err
	}, hub.Filter{Limit: 7})
	seen := map[string]int{}
	for _, id := range got {
		seen[id]++
	}
	for id := range tickets {
		if !answered[id] && seen[id] != 1 {
			t.Errorf("ask %s was left alone and comes %d times", id, seen[id])
		}
	}
	if len(answered) == 0 {
		t.Error("nothing was answered meanwhile")
	}
}

// surface is a surface that keeps what it shows up to date.
type surface struct {
	mu     sync.Mutex
	shown  map[string]uint64 // open asks by id, and their revision
	resets int
	folded map[string]string
	stop   func() error
}

// show runs a surface over an inbox until the test ends.
func show(t *testing.T, in hub.Inbox) *surface {
	ctx, cancel := context.WithCancel(t.Context())
	sf := &surface{shown: map[string]uint64{}, folded: map[string]string{}}
	done := make(chan error, 1)
	go func() {
		done <- in.Watch(ctx, func(c hub.Change) {
			switch {
			case c.Err != nil:
				t.Error(c.Err)
			case c.Reset:
				sf.list(ctx, t, in)
			default:
				sf.put(c.Ticket)
			}
		})
	}()
	sf.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() {
		if err := sf.stop(); !errors.Is(err, context.Canceled) && !errors.Is(err, hub.ErrStopped) {
			t.Error(err)
		}
	})
	return sf
}

func (sf *surface) list(ctx context.Context, t *testing.T, in hub.Inbox) {
	f := &hub.Filter{Limit: 20}
	for {
		page, err := in.List(ctx, f)
		if err != nil {
			if ctx.Err() == nil {
				t.Error(err)
			}
			return
		}
		for _, ticket := range page.Tickets {
			sf.put(ticket)
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			break
		}
	}
	sf.mu.Lock()
	sf.resets++
	sf.mu.Unlock()
}

func (sf *surface) put(ticket *hub.Ticket) {
	sf.mu.Lock()
	defer sf.mu.Unlock()
	id := ticket.Address.ID
	if ticket.Revision < sf.shown[id] {
		return // old news
	}
	sf.shown[id] = ticket.Revision
	if delete(sf.folded, id); !ticket.Open() {
		sf.folded[id] = choice(ticket.Outcome)
	}
}

// listed reports whether the surface has listed at least once.
func (sf *surface) listed() bool {
	sf.mu.Lock()
	defer sf.mu.Unlock()
	return sf.resets > 0
}

// told returns the outcome with which the surface folded an ask.
func (sf *surface) told(id string) string {
	sf.mu.Lock()
	defer sf.mu.Unlock()
	return sf.folded[id]
}

// open returns the ids of the asks that are shown as open.
func (sf *surface) open() (open []string) {
	sf.mu.Lock()
	defer sf.mu.Unlock()
	for id := range sf.shown {
		if sf.folded[id] == "" {
			open = append(open, id)
		}
	}
	slices.Sort(open)
	return open
}
