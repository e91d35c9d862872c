package hubtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// testSequences plays random operations on the hub and on the model. Faults that
// the rules have to hide happen all the while; the two must agree all the same.
func (s *suite) testSequences(t *testing.T) {
	for i := range s.Sequences {
		q := &sequence{suite: s, t: t, seed: s.Seed + i}
		q.play(40)
		if t.Failed() {
			t.Fatalf("play it again with SAYSO_SEED=%d SAYSO_SEQUENCES=1:\n%s", q.seed, strings.Join(q.log, "\n"))
		}
	}
	t.Logf("%d sequences from seed %d", s.Sequences, s.Seed)
}

// still is a clock that only moves when it is told to, so that the hub and the model see
// the same time.
type still struct{ ahead atomic.Int64 }

func (c *still) now() time.Time      { return time.Unix(0, c.ahead.Load()).UTC() }
func (c *still) add(d time.Duration) { c.ahead.Add(int64(d)) }
func (c *still) use(o *hub.Options)  { o.Now = c.now }

// sequence is one random sequence of operations on three asks.
type sequence struct {
	*suite
	t     *testing.T
	seed  int
	rand  *rand.Rand
	clock still
	store *Faulty
	hubs  [2]*hub.Hub
	asks  [3]model
	seen  [3]*hub.Ticket // some ticket seen earlier, however old
	log   []string
}

func (q *sequence) play(operations int) {
	q.rand = rand.New(rand.NewPCG(uint64(q.seed), 0))
	q.clock.add(time.Duration(time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()))
	q.store = &Faulty{Store: q.new(q.t), Plan: q.faults()}
	for i := range q.hubs {
		q.restart(i)
	}
	for range operations {
		q.operate()
		if q.t.Failed() {
			break
		}
	}
	for _, h := range q.hubs {
		h.Stop()
	}
}

// faults are those that no caller may notice.
func (q *sequence) faults() func(Step) Fault {
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(uint64(q.seed), 1))
	return func(step Step) Fault {
		mu.Lock()
		defer mu.Unlock()
		switch n := dice.IntN(20); {
		case step.Op == OpBell:
			return Fault{Drop: n < 6, Gap: n == 6}
		case n < 3 && step.Op != OpList:
			return Fault{Err: fmt.Errorf("%w: as planned", hub.ErrUndecided)}
		}
		return Fault{}
	}
}

func (q *sequence) restart(i int) {
	if q.hubs[i] != nil {
		q.hubs[i].Stop()
	}
	q.hubs[i] = q.open(q.t, q.store, q.clock.use, func(o *hub.Options) {
		o.Tick = time.Hour // nothing happens by itself
	})
}

// operate does one random thing to one random ask.
func (q *sequence) operate() {
	q.clock.add(time.Second) // no two writes are the same to the byte
	i, side := q.rand.IntN(len(q.asks)), q.rand.IntN(2)
	m, h, ctx := &q.asks[i], q.hubs[side], within(q.t)
	id, now := fmt.Sprint("ask ", i), q.clock.now()
	addr := hub.AddressOf(tenant, newAsk(id))
	who := []string{"alice", "bob"}[q.rand.IntN(2)]
	nonce := fmt.Sprint("n", q.rand.IntN(4))
	seen := q.seen[i]
	if seen == nil || q.rand.IntN(3) == 0 {
		seen = &hub.Ticket{Address: addr, Digest: q.ask(id, m.question).Digest()}
	}
	var t *hub.Ticket
	var err error
	var what, want string
	switch n := q.rand.IntN(20); {
	case n < 4:
		a := q.ask(id, q.rand.IntN(10)/9)
		if q.rand.IntN(2) == 0 {
			a.Deadline = now.Add(time.Hour * time.Duration(q.rand.IntN(4)))
		}
		question := 0
		if a.Questions[0].Text != newAsk(id).Questions[0].Text {
			question = 1
		}
		what, want = "submit", m.submit(question, a.Deadline, now)
		t, err = h.Submit(ctx, tenant, a)
	case n < 11:
		o := q.outcome(who)
		hold := []time.Duration{0, 5 * time.Second, hub.MaxHold}[q.rand.IntN(3)]
		what, want = fmt.Sprint("close ", choice(o), " ", nonce, " held ", hold), m.close(o, nonce, hold, now)
		t, err = h.Close(ctx, seen, o, &hub.CloseOptions{Nonce: nonce, Hold: hold})
	case n < 14:
		what, want = "undo by "+who, m.undo(who)
		t, err = h.Undo(ctx, &hub.Ticket{Address: addr}, person(who))
	case n < 15:
		o := q.outcome(who)
		nonce = fmt.Sprint("amended ", len(q.log))
		what, want = fmt.Sprint("amend ", choice(o)), m.amend(o, nonce)
		t, err = h.Amend(ctx, &hub.Ticket{Address: addr, Digest: seen.Digest}, o, &hub.CloseOptions{Nonce: nonce})
	case n < 17:
		what, want = "consume", m.consume()
		t, err = h.Consume(ctx, &hub.Ticket{Address: addr})
	case n < 18:
		q.clock.add(time.Hour)
		q.note("an hour passes")
		return
	case n < 19:
		q.note(fmt.Sprint("hub ", side, " starts again"))
		q.restart(side)
		return
	default:
		q.compare(i, h)
		return
	}
	got := result(t, err)
	q.note(fmt.Sprintf("hub %d: %s: %s: %s", side, id, what, got))
	if got != want {
		q.t.Errorf("%s: %s: %s (%v), want %s", id, what, got, err, want)
	}
	if t != nil {
		q.seen[i] = t
	}
	if q.rand.IntN(2) == 0 {
		q.compare(i, h)
	}
}

// compare looks at an ask, which closes it if it is overdue.
func (q *sequence) compare(i int, h *hub.Hub) {
	m := &q.asks[i]
	m.look(q.clock.now())
	t, err := h.Get(within(q.t), hub.AddressOf(tenant, newAsk(fmt.Sprint("ask ", i))))
	switch {
	case result(t, err) == hub.ErrNotFound.Error() && !m.stored:
	case err != nil:
		q.t.Errorf("ask %d: %v", i, err)
	case stateOf(t) != m.state():
		q.t.Errorf("ask %d is\n%s, want\n%s", i, stateOf(t), m.state())
	}
}

func (q *sequence) note(line string) { q.log = append(q.log, line) }

// ask returns one of two asks with the same id.
func (q *sequence) ask(id string, question int) *sayso.Ask {
	a := newAsk(id)
	if question == 1 {
		a.Questions[0].Text = "Deploy to staging?"
	}
	return a
}

func (q *sequence) outcome(who string) *sayso.Outcome {
	switch q.rand.IntN(6) {
	case 0:
		return withdrawn()
	case 1:
		return &sayso.Outcome{Status: sayso.StatusDeclined, By: person(who)}
	}
	return says(who, fmt.Sprint("o", 1+q.rand.IntN(2)))
}
