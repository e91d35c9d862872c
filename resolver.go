package sayso

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Resolver gets an ask answered. It is the one seam between the tool and the
// people it reaches.
//
// Ask returns when there is an outcome, which may be a refusal; an error means
// that something broke, one that wraps [ErrUnreachable] that nobody could be asked
// this way, and one that wraps [ErrCancelled] that the person called it off. When ctx
// ends, Ask returns promptly; context.Cause(ctx) is a [*SupersededError] when another
// resolver got the answer. Ask must not change a, may keep it, and may be called from
// several goroutines.
//
// A resolver that keeps asks is also a [Trier]; see [Try].
type Resolver interface {
	Ask(ctx context.Context, a *Ask) (*Outcome, error)
}

// ResolverFunc makes a Resolver of a function.
type ResolverFunc func(ctx context.Context, a *Ask) (*Outcome, error)

// Ask calls f.
func (f ResolverFunc) Ask(ctx context.Context, a *Ask) (*Outcome, error) { return f(ctx, a) }

// ErrUnreachable is wrapped by errors that mean: nobody can be asked this way,
// now. It is not an answer and not a refusal.
var ErrUnreachable = errors.New("nobody could be asked")

// ErrCancelled is wrapped by errors of resolvers whose person called the question off,
// or said something else instead of answering. It is the same as an outcome with
// [StatusCancelled], for resolvers that have nothing but an error to return.
var ErrCancelled = errors.New("the person cancelled the question")

// SupersededError is the cause of the context of a resolver that lost a [Race].
type SupersededError struct {
	Winner *Outcome
}

func (e *SupersededError) Error() string {
	return fmt.Sprintf("sayso: closed elsewhere (%s)", e.Winner.Status)
}

// Fallback asks each resolver in turn until one can reach somebody.
func Fallback(resolvers ...Resolver) Resolver {
	return &combined{try: tryEach(resolvers), ask: func(ctx context.Context, a *Ask) (*Outcome, error) {
		o, _, err := firstReached(resolvers, func(r Resolver) (*Outcome, string, error) {
			o, err := ask(ctx, r, a)
			return o, "", err
		})
		return o, err
	}}
}

// firstReached uses each resolver in turn until one can reach somebody.
func firstReached(resolvers []Resolver, use func(Resolver) (*Outcome, string, error)) (*Outcome, string, error) {
	var last *Outcome
	err := error(ErrUnreachable)
	for _, r := range resolvers {
		if r == nil {
			continue
		}
		o, handle, useErr := use(r)
		switch {
		case errors.Is(useErr, ErrUnreachable):
			last, err = nil, useErr
		case useErr != nil:
			return nil, "", useErr
		case o.Status == StatusUnreachable:
			last, err = o, nil
		default:
			return o, handle, nil
		}
	}
	return last, "", err
}

// Race asks all resolvers at once. The first that comes back with a decision
// wins; the others see their context end with a [*SupersededError] that carries
// the winner. Race returns when all have returned.
//
// A resolver that breaks, cannot reach anybody, comes back empty or leaves the
// ask for later does not decide the race.
func Race(resolvers ...Resolver) Resolver {
	return &combined{try: tryEach(resolvers), ask: func(ctx context.Context, a *Ask) (*Outcome, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		type reply struct {
			o   *Outcome
			err error
		}
		replies := make(chan reply, len(resolvers))
		for _, r := range resolvers {
			go func() {
				o, err := ask(ctx, r, a)
				replies <- reply{o, err}
			}()
		}
		var winner, undecided *Outcome
		var broken, unreached []error
		for range resolvers {
			switch r := <-replies; {
			case winner != nil: // only waiting for the others to leave
			case errors.Is(r.err, ErrUnreachable):
				unreached = append(unreached, r.err)
			case r.err != nil:
				broken = append(broken, r.err)
			case decides(r.o):
				winner = r.o
				cancel(&SupersededError{Winner: winner})
			case undecided == nil || hope(r.o) > hope(undecided):
				undecided = r.o
			}
		}
		switch {
		case winner != nil:
			return winner, nil
		case undecided != nil && hope(undecided) > 0:
			return undecided, nil
		case len(broken) > 0: // must not pass for "nobody could be asked"
			return nil, errors.Join(broken...)
		case undecided != nil:
			return undecided, nil
		case len(unreached) > 0:
			return nil, errors.Join(unreached...)
		}
		return nil, ErrUnreachable
	}}
}

func decides(o *Outcome) bool {
	switch o.Settled().Status {
	case StatusAnswered, StatusDeclined, StatusCancelled, StatusExpired, StatusSuperseded:
		return true
	}
	return false
}

// hope ranks outcomes that do not decide a race: an answer may still come, the
// form came back empty, nobody was reached.
func hope(o *Outcome) int {
	switch o.Status {
	case StatusPending:
		return 2
	case StatusUnreachable:
		return 0
	}
	return 1
}

// Escalate is the resolver of a sub-agent: it puts the child's name in front of
// the chain of agents, unless the chain has it already, and asks the first of
// the given resolvers that can reach somebody. Give the parent's handler first and
// the person last; nil ones are passed over, so that a sub-agent without a parent
// asks the person itself.
//
// The names that are in the chain before are taken for agents below the child, which
// have passed the question up to it. A host that knows the chain names all of it in
// [Call].Agents, the child included; Escalate then leaves it as it is.
func Escalate(child string, to ...Resolver) Resolver {
	next, child := Fallback(to...), SafeLine(child)
	stamped := func(a *Ask) *Ask {
		c := a.Clone()
		if agents := c.Origin.Agents; !slices.Contains(agents, child) {
			c.Origin.Agents = slices.Insert(agents, 0, child)
		}
		return c
	}
	return &combined{
		ask: func(ctx context.Context, a *Ask) (*Outcome, error) { return next.Ask(ctx, stamped(a)) },
		try: func(ctx context.Context, a *Ask) (*Outcome, string, error) { return Try(ctx, next, stamped(a)) },
	}
}

// Deny is the resolver of agents that may not ask. It reaches nobody and says why.
func Deny(reason string) Resolver {
	denied := func() *Outcome {
		return &Outcome{Status: StatusUnreachable, Reason: reason, By: Responder{Kind: ByPolicy}}
	}
	return &combined{
		ask: func(context.Context, *Ask) (*Outcome, error) { return denied(), nil },
		try: func(context.Context, *Ask) (*Outcome, string, error) { return denied(), "", nil },
	}
}

// ask calls r and holds it to its contract of one outcome or one error.
func ask(ctx context.Context, r Resolver, a *Ask) (*Outcome, error) {
	if r == nil {
		return nil, ErrUnreachable
	}
	return held(r.Ask(ctx, a))
}

// held holds what a resolver returned to the contract.
func held(o *Outcome, err error) (*Outcome, error) {
	switch {
	case err == nil && o == nil:
		err = errors.New("sayso: resolver returned neither an outcome nor an error")
	case errors.Is(err, ErrCancelled):
		o, err = &Outcome{Status: StatusCancelled, By: Responder{Kind: ByPerson}}, nil
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}
