// Package saysotest has a fake person for the tests of programs that ask: one
// who answers from a script, slowly, twice, too late, or not at all.
//
// Most tests use [Answers] and put the person where the real one would be:
//
//	ann := saysotest.Answers("PostgreSQL", "order-processor")
//	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: ann}
//
// A [Person] remembers every ask it was shown. It starts no goroutine and waits
// with the timers of package time, so that under testing/synctest a person who
// thinks for an hour costs nothing.
package saysotest

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso"
)

// Person is a scripted person and a [sayso.Trier]. Make one with the functions
// of this package, shape it with its methods before it is asked, and then use it
// from as many goroutines as you like. Every ask runs the script from its start.
type Person struct {
	script []reply

	mu        sync.Mutex
	asks      []*sayso.Ask
	withdrawn []error
}

var _ sayso.Trier = (*Person)(nil)

// reply is one thing that a person does.
type reply struct {
	wait time.Duration
	late bool   // not before the time to answer is over
	give Script // nil: never
}

// Script says what somebody replies to an ask.
type Script func(a *sayso.Ask) (*sayso.Outcome, error)

// Does returns a person who does what the script says.
func Does(script Script) *Person { return &Person{script: []reply{{give: script}}} }

// Declines returns a person who chooses not to answer.
func Declines(reason string) *Person { return Does(closes(sayso.StatusDeclined, reason)) }

// Cancels returns a person who calls the ask off.
func Cancels() *Person { return Does(closes(sayso.StatusCancelled, "")) }

// Later returns a person who leaves the ask open.
func Later() *Person { return Does(closes(sayso.StatusPending, "")) }

// Absent returns a person who never comes back: Ask waits until its context ends.
func Absent() *Person { return Does(nil) }

// Unreachable returns a person who cannot be asked.
func Unreachable() *Person { return Breaks(sayso.ErrUnreachable) }

// Breaks returns a person who cannot be asked because something fails.
func Breaks(err error) *Person {
	return Does(func(*sayso.Ask) (*sayso.Outcome, error) { return nil, err })
}

func closes(s sayso.Status, reason string) Script {
	return func(*sayso.Ask) (*sayso.Outcome, error) {
		return &sayso.Outcome{Status: s, Reason: reason, By: by}, nil
	}
}

// by is how a fake person signs.
var by = sayso.Responder{Kind: sayso.ByPerson, ID: "person", Surface: "saysotest"}

// After makes the person think for d before each reply, and returns it.
func (p *Person) After(d time.Duration) *Person {
	for i := range p.script {
		p.script[i].wait = d
	}
	return p
}

// Late makes the person reply when it is too late, and returns it: when the
// context has ended, or just after the deadline of the ask, which takes an
// AskedAt to reckon from. Without either, the person waits for ever.
func (p *Person) Late() *Person {
	for i := range p.script {
		p.script[i].late = true
	}
	return p
}

// Twice makes the person give every reply a second time at once, as a double
// click does, and returns it. See [Person.Replies].
func (p *Person) Twice() *Person {
	twice := make([]reply, 0, 2*len(p.script))
	for _, r := range p.script {
		again := r
		again.wait, again.late = 0, false
		twice = append(twice, r, again)
	}
	p.script = twice
	return p
}

// Then makes the person go on with what next would do, as one who changes their
// mind does, and returns it. See [Person.Replies].
func (p *Person) Then(next *Person) *Person {
	p.script = append(p.script, next.script...)
	return p
}

// Ask returns the person's first reply, or the cause of ctx if that ends before.
func (p *Person) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	for o, err := range p.Replies(ctx, a) {
		return o, err
	}
	return nil, sayso.ErrUnreachable // a Person that was not made by this package
}

// TryAsk returns the person's first reply if it comes at once, and otherwise a pending
// outcome with a handle, for tests of programs that use [sayso.Try].
func (p *Person) TryAsk(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, string, error) {
	handle := "saysotest:" + a.ID
	if len(p.script) > 0 && p.script[0].slow() {
		p.shown(a)
		return &sayso.Outcome{Status: sayso.StatusPending}, handle, nil
	}
	o, err := p.Ask(ctx, a)
	return o, handle, err
}

// slow reports whether the reply takes time.
func (r reply) slow() bool { return r.give == nil || r.late || r.wait > 0 }

func (p *Person) shown(a *sayso.Ask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asks = append(p.asks, a.Clone())
}

// Replies shows the ask to the person and returns everything that comes back,
// one after the other. It is for tests of what takes answers from people, which
// must bear with one who answers twice:
//
//	for o, err := range person.Replies(ctx, ask) {
//		… close the ask with o
//	}
//
// It ends early, with the cause, when ctx ends.
func (p *Person) Replies(ctx context.Context, a *sayso.Ask) iter.Seq2[*sayso.Outcome, error] {
	return func(yield func(*sayso.Outcome, error) bool) {
		p.shown(a)
		for _, r := range p.script {
			if err := r.think(ctx, a); err != nil {
				p.mu.Lock()
				p.withdrawn = append(p.withdrawn, err)
				p.mu.Unlock()
				yield(nil, err)
				return
			}
			if !yield(r.give(a)) {
				return
			}
		}
	}
}

// think waits until it is time for the reply. Somebody who is late goes on even
// if nobody listens any more.
func (r reply) think(ctx context.Context, a *sayso.Ask) error {
	switch {
	case r.give == nil:
		<-ctx.Done()
		return context.Cause(ctx)
	case r.late:
		var over <-chan time.Time
		if !a.Deadline.IsZero() && !a.AskedAt.IsZero() {
			over = time.After(a.Deadline.Sub(a.AskedAt) + time.Millisecond)
		}
		select {
		case <-over:
		case <-ctx.Done():
		}
		<-time.After(r.wait)
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	select {
	case <-time.After(r.wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Asks returns every ask that the person was shown, in order.
func (p *Person) Asks() []*sayso.Ask {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asks)
}

// Withdrawn returns why asks were taken away before the person replied, in
// order: the causes of their contexts.
func (p *Person) Withdrawn() []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.withdrawn)
}
