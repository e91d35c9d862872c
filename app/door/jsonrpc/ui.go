package jsonrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// UIOptions are the options of [NewUI]. Nil means the defaults.
type UIOptions struct {
	Framing Framing         // default: Lines
	Method  Method          // how the user interface is asked; default: ClientAskUser
	By      sayso.Responder // who answers there; default: a program, on the surface "rpc"
}

// UI is the user interface at the other end of a stream, as a resolver. All
// methods may be called from several goroutines.
type UI struct {
	opts  UIOptions
	peer  *peer
	count atomic.Int64
	end   context.CancelFunc
	work  sync.WaitGroup
}

var _ sayso.Resolver = (*UI)(nil)

// NewUI returns a resolver that asks the program at the other end. Race it with a
// hub: then a user interface that goes away leaves the ask open there. Close it
// after use; that closes w, and a read of r that is under way is not waited for.
func NewUI(r io.Reader, w io.WriteCloser, opts *UIOptions) *UI {
	u := &UI{}
	if opts != nil {
		u.opts = *opts
	}
	u.opts.Method = cmp.Or(u.opts.Method, ClientAskUser)
	if u.opts.By == (sayso.Responder{}) {
		u.opts.By = sayso.Responder{Kind: sayso.ByProgram, Surface: "rpc"}
	}
	var ctx context.Context
	ctx, u.end = context.WithCancel(context.Background())
	unknown := func(context.Context, string) *hub.Ticket { return nil }
	all := append([]method{responseMethod(func() *peer { return u.peer }, u.work.Go, unknown)}, uiMethods()...)
	u.peer = newPeer(ctx, append(all, registry(&all)))
	u.peer.start(r, w, u.opts.Framing)
	u.work.Go(func() { u.peer.wait(ctx) })
	return u
}

// Ask has the ask answered by the user interface. If that goes away before, the
// outcome is unreachable and names the surface. If no answer fits, however often it is
// asked, the outcome is unanswered.
func (u *UI) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	id := cmp.Or(a.ID, fmt.Sprintf("req-%d", u.count.Add(1)))
	var o *sayso.Outcome
	err := u.peer.ask(ctx, u.opts.Method, id, a, func(got *sayso.Outcome) error { o = got; return nil })
	switch {
	case err == nil:
		o.By = u.opts.By
		return o, nil
	case ctx.Err() != nil:
		u.peer.withdrawn(ctx, u.opts.Method, id, a, context.Cause(ctx))
		return nil, ctx.Err()
	case errors.Is(err, errTooOften):
		return &sayso.Outcome{Status: sayso.StatusUnanswered, By: u.opts.By}, nil
	case errors.Is(err, errLost):
		return &sayso.Outcome{Status: sayso.StatusUnreachable, By: sayso.Responder{Surface: cmp.Or(u.opts.By.Surface, "rpc")}}, nil
	}
	return nil, fmt.Errorf("%w: the user interface: %w", sayso.ErrUnreachable, err)
}

// Close ends the connection.
func (u *UI) Close() {
	u.end()
	u.work.Wait()
}
