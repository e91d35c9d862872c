package sayso

import (
	"context"
	"fmt"
)

// Trier is a [Resolver] that keeps asks, and so need not wait for the answer. Hubs
// are (package client, and Hub.Resolver in package hub), and folders of package
// pendingfile. A terminal is not: it can ask only while somebody waits.
type Trier interface {
	Resolver

	// TryAsk stores the ask and returns at once what has become of it. The outcome has
	// [StatusPending] as long as the ask is open; any other outcome counts as
	// received and can no longer be undone. The handle names the ask to whatever
	// keeps it. An ask with an id, tried or asked again, is the same ask.
	TryAsk(ctx context.Context, a *Ask) (o *Outcome, handle string, err error)
}

// Try asks and does not wait: it stores the ask and returns the outcome if there
// already is one, and otherwise an outcome with [StatusPending]. To get the answer
// later, in any process, try the same ask again, give it to Resolver.Ask, which
// waits, or use the handle with the hub that keeps it.
//
// The resolver must be a [Trier]. For others the error wraps [ErrUnreachable]: nobody
// was asked. Of [Fallback] and [Race], the first resolver that can keep the ask
// does; [Escalate] and [Deny] do as they do for Ask.
func Try(ctx context.Context, r Resolver, a *Ask) (o *Outcome, handle string, err error) {
	t, ok := r.(Trier)
	switch {
	case r == nil:
		return nil, "", ErrUnreachable
	case !ok:
		return nil, "", fmt.Errorf("%w without waiting: %T does not keep asks; use a hub, or call Ask and wait", ErrUnreachable, r)
	}
	o, handle, err = t.TryAsk(ctx, a)
	o, err = held(o, err)
	return o, handle, err
}

// combined is a resolver made of others. It is a Trier, for which it takes one that is.
type combined struct {
	ask ResolverFunc
	try func(ctx context.Context, a *Ask) (*Outcome, string, error)
}

func (c *combined) Ask(ctx context.Context, a *Ask) (*Outcome, error) { return c.ask(ctx, a) }

func (c *combined) TryAsk(ctx context.Context, a *Ask) (*Outcome, string, error) {
	return c.try(ctx, a)
}

// tryEach tries each resolver in turn until one keeps the ask, or has its outcome.
func tryEach(resolvers []Resolver) func(context.Context, *Ask) (*Outcome, string, error) {
	return func(ctx context.Context, a *Ask) (*Outcome, string, error) {
		return firstReached(resolvers, func(r Resolver) (*Outcome, string, error) { return Try(ctx, r, a) })
	}
}
