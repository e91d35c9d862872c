package hubtest

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso/hub"
)

// reader follows tickets and keeps what it was told, as somebody would who is cut off
// now and then.
type reader struct {
	hub    *hub.Hub
	filter hub.Filter
	id     string                      // of the last event that has one
	open   map[hub.Address]*hub.Ticket // of those open, or not consumed
	last   map[hub.Address]uint64      // the newest revision of each ask
	told   []string                    // "reset", "ready 2", "+id", "-id"
	resets int
	again  bool // what is put off is told again when that ends, unchanged, and more than once if it ends for two reasons
	*hub.Follower
}

func newReader(h *hub.Hub, f hub.Filter) *reader { return &reader{hub: h, filter: f} }

// join connects, or connects again, perhaps at another hub.
func (r *reader) join(t *testing.T, h *hub.Hub) {
	t.Helper()
	if r.Follower != nil {
		r.Close()
	}
	r.hub = h
	r.Follower = must[*hub.Follower](t)(h.Follow(within(t), tenant, &r.filter, r.id))
}

// until reads until ok.
func (r *reader) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if r.Follower == nil {
		r.join(t, r.hub)
		t.Cleanup(func() { r.Close() })
	}
	ctx := within(t)
	for !ok() {
		events, err := r.Next(ctx)
		if err != nil {
			t.Fatalf("%s: %v, after %q", what, err, r.told)
		}
		for _, e := range events {
			r.take(t, e)
		}
	}
}

func (r *reader) take(t *testing.T, e hub.FollowEvent) {
	t.Helper()
	if e.ID != "" {
		r.id = e.ID
	}
	switch {
	case e.Err != nil:
		t.Errorf("%v", e.Err)
	case e.Reset:
		r.open, r.last = map[hub.Address]*hub.Ticket{}, map[hub.Address]uint64{}
		r.resets++
		r.told = append(r.told, "reset")
	case e.Ready:
		if e.Open != len(r.open) || e.ID == "" {
			t.Errorf("ready with %d open and id %q, told were %d", e.Open, e.ID, len(r.open))
		}
		r.told = append(r.told, fmt.Sprint("ready ", e.Open))
	default:
		addr := e.Ticket.Address
		if last := r.last[addr]; e.Ticket.Revision < last || e.Ticket.Revision == last && !r.again {
			t.Errorf("revision %d of %s is told after %d", e.Ticket.Revision, addr.ID, r.last[addr])
		}
		r.last[addr] = e.Ticket.Revision
		if e.Ticket.Open() || r.filter.Unconsumed && e.Ticket.Consumed.IsZero() {
			r.open[addr] = e.Ticket
			r.told = append(r.told, "+"+addr.ID)
		} else {
			delete(r.open, addr)
			r.told = append(r.told, "-"+addr.ID)
		}
	}
}

// shows reads until these asks are open.
func (r *reader) shows(t *testing.T, want ...string) {
	t.Helper()
	r.until(t, fmt.Sprintf("%q are open", want), func() bool {
		var ids []string
		for addr := range r.open {
			ids = append(ids, addr.ID)
		}
		slices.Sort(ids)
		return slices.Equal(ids, want) && strings.Contains(strings.Join(r.told, " "), "ready")
	})
}

// comesTo reads until these asks are open, and no others.
func (r *reader) comesTo(t *testing.T, want map[hub.Address]bool) {
	t.Helper()
	r.until(t, fmt.Sprintf("%+v is up to date", r.filter), func() bool {
		for addr := range want {
			if r.open[addr] == nil {
				return false
			}
		}
		return len(r.open) == len(want)
	})
}

func (s *suite) testFollow(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	early := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("early")))
	s.closed(t, h, "done", says("alice", "o1"))
	r := newReader(other, hub.Filter{})
	r.shows(t, "early")
	if want := "reset +early ready 1"; strings.Join(r.told, " ") != want {
		t.Errorf("told was %q, want %q", r.told, want)
	}
	late := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("late", "alice")))
	r.shows(t, "early", "late")
	closed := must[*hub.Ticket](t)(h.Close(ctx, late, says("alice", "o1"), nil))
	r.shows(t, "early")
	must[*hub.Ticket](t)(h.Undo(ctx, closed, person("alice")))
	r.shows(t, "early", "late")
	must[*hub.Ticket](t)(h.Close(ctx, early, withdrawn(), nil))
	r.shows(t, "late")
	if r.resets != 1 {
		t.Errorf("it was told to begin anew %d times: %q", r.resets, r.told)
	}
	other.Stop()
	_, err := r.Next(ctx)
	wantErr(t, err, hub.ErrStopped)
}

func (s *suite) testFollowFilters(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	filters := []hub.Filter{
		{}, {Person: "alice"}, {Person: "bob"}, {Asker: "deployer"}, {Asker: "reviewer"}, {Conversation: "c2"},
		{Person: "alice", Conversation: "c2"}, {Asker: "deployer", Conversation: "c1"}, {Asker: "deployer", Unconsumed: true},
	}
	var readers []*reader
	for _, f := range filters {
		readers = append(readers, newReader(other, f))
	}
	check := func(when string) {
		t.Helper()
		for i, f := range filters {
			var want []string
			eventually(t, "a list", func() bool {
				want = ids(t, func(f *hub.Filter) (*hub.Tickets, error) { return other.List(ctx, tenant, f) }, f)
				got := ids(t, func(f *hub.Filter) (*hub.Tickets, error) { return h.List(ctx, tenant, f) }, f)
				return slices.Equal(want, got)
			})
			readers[i].shows(t, want...)
		}
		t.Log(when)
	}
	check("empty")
	var tickets []*hub.Ticket
	for i, to := range [][]string{nil, {"alice"}, {"bob"}, {"alice", "bob"}} {
		for j, asker := range []string{"", "deployer", "reviewer"} {
			for _, conversation := range []string{"c1", "c2"} {
				a := newAsk(fmt.Sprint(i, j, conversation), to...)
				a.Origin.Asker, a.Origin.Conversation = asker, conversation
				tickets = append(tickets, must[*hub.Ticket](t)(h.Submit(ctx, tenant, a)))
			}
		}
	}
	must[*hub.Ticket](t)(h.Submit(ctx, "other", newAsk("foreign")))
	check("asked")
	for i, ticket := range tickets {
		switch i % 3 {
		case 0:
			tickets[i] = must[*hub.Ticket](t)(h.Close(ctx, ticket, withdrawn(), nil))
		case 1:
			tickets[i] = must[*hub.Ticket](t)(h.Close(ctx, ticket, withdrawn(), &hub.CloseOptions{Consumed: true}))
		}
	}
	check("closed")
	for i, ticket := range tickets {
		if i%3 == 0 {
			must[*hub.Ticket](t)(h.Consume(ctx, ticket))
		}
	}
	check("consumed")
	for i, r := range readers {
		if r.resets != 1 {
			t.Errorf("%+v: %d resets", filters[i], r.resets)
		}
	}
}

// testFollowResumes goes on at another hub, again and again.
func (s *suite) testFollowResumes(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h := s.open(t, store)
	hubs := []*hub.Hub{s.open(t, s.peer(t, store)), s.open(t, s.peer(t, store))}
	for _, f := range []hub.Filter{{}, {Person: "alice"}, {Asker: "deployer"}, {Conversation: "c1"}} {
		r := newReader(hubs[0], f)
		r.until(t, "the first view", func() bool { return r.resets > 0 && r.id != "" })
		want := map[hub.Address]bool{}
		for addr := range r.open {
			want[addr] = true
		}
		for i := range 40 {
			a := newAsk(fmt.Sprint(f, i), []string{"alice"}[:i%2]...)
			a.Origin.Asker = "deployer"
			ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, a))
			want[ticket.Address] = true
			if i%3 == 0 {
				must[*hub.Ticket](t)(h.Close(ctx, ticket, withdrawn(), nil))
				delete(want, ticket.Address)
			}
			if i%4 == 0 {
				r.join(t, hubs[i%2])
			}
			if i%7 == 0 {
				r.comesTo(t, want)
			}
		}
		if r.resets != 1 {
			t.Errorf("%+v: it began anew %d times", f, r.resets)
		}
		r.Close()
	}
	for _, after := range []string{"nonsense", "x-1", "-"} { // nobody's position
		r := newReader(hubs[0], hub.Filter{})
		r.id = after
		r.until(t, "a first view", func() bool { return r.resets == 1 && len(r.open) > 0 })
	}
}

// testFollowFaults loses bells, each time with a word about it, cuts watches and has
// lists fail.
func (s *suite) testFollowFaults(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h := s.open(t, store)
	var on atomic.Bool
	var n atomic.Int64
	faulty := &Faulty{Store: s.peer(t, store), Plan: func(step Step) Fault {
		if !on.Load() {
			return Fault{}
		}
		switch k := n.Add(1); {
		case step.Op == OpBell && k%5 == 0:
			return Fault{Gap: true}
		case step.Op == OpList && k%3 == 0:
			return Fault{Err: errBroken}
		}
		return Fault{}
	}}
	other := s.open(t, faulty, func(o *hub.Options) { o.Spread = o.Tick })
	r := newReader(other, hub.Filter{Person: "alice"})
	r.until(t, "the first view", func() bool { return r.id != "" })
	on.Store(true)
	want := map[hub.Address]bool{}
	for i := range 60 {
		ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk(fmt.Sprint(i), []string{"alice"}[:i%2]...)))
		want[ticket.Address] = true
		if i%3 == 0 {
			must[*hub.Ticket](t)(h.Close(ctx, ticket, withdrawn(), nil))
			delete(want, ticket.Address)
		}
		if i%20 == 10 {
			faulty.Cut(errBroken)
		}
	}
	r.comesTo(t, want)
	if r.resets != 1 {
		t.Errorf("it began anew %d times", r.resets)
	}
}

// testFollowUnsure loses bells without a word about it, in a store that says that it
// might. The reader learns of what was lost where it is, and at another hub, and of
// nothing twice.
func (s *suite) testFollowUnsure(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h := s.open(t, store)
	lossy := func() *hub.Hub {
		return s.open(t, &Faulty{Store: s.peer(t, store), Plan: func(step Step) Fault {
			return Fault{Drop: step.Op == OpBell && strings.HasPrefix(step.Address.ID, "lost"), Unsure: true}
		}}, func(o *hub.Options) { o.Confirm = 4 * s.tick() })
	}
	hubs := []*hub.Hub{lossy(), lossy()}
	for _, f := range []hub.Filter{{}, {Person: "alice"}, {Asker: "deployer"}} {
		r := newReader(hubs[0], f)
		r.until(t, "the first view", func() bool { return r.id != "" })
		want := map[hub.Address]bool{}
		for addr := range r.open {
			want[addr] = true
		}
		for i := range 201 {
			name := fmt.Sprint(f, i)
			if i%5 == 2 {
				name = "lost" + name
			}
			a := newAsk(name, []string{"alice"}[:i%2]...)
			a.Origin.Asker = "deployer"
			ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, a))
			want[ticket.Address] = true
			if i%3 == 0 {
				must[*hub.Ticket](t)(h.Close(ctx, ticket, withdrawn(), nil))
				delete(want, ticket.Address)
			}
			switch {
			case i%40 == 0:
				r.comesTo(t, want)
			case i < 100 && i%10 == 4: // behind one that was lost
				r.until(t, name, func() bool { return r.last[ticket.Address] > 0 })
				r.join(t, hubs[i/10%2])
			}
		}
		if r.resets != 1 {
			t.Errorf("%+v: it began anew %d times", f, r.resets)
		}
		r.Close()
	}
}
