package jsonrpc

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// surfaceMethods are those of a user interface that we ask.
func (s *session) surfaceMethods() []method {
	return []method{
		{
			Name: "ui/attach", Direction: toServer,
			Description: "Become a surface: be asked what waits in the hub, now and from now on.",
			Params: []field{
				{"method", "string", false, "How to be asked: client/ask_user, a request for each question, or ask_user_request, a notification for each form. Default: client/ask_user."},
				{"session_id", "string", false, "Only this conversation. Default: everything that this person may answer."},
			},
			Result: []field{{"attached", "boolean", true, "true"}},
			handle: handle(true, func(ctx context.Context, _ *jrpc2.Request, p *struct {
				Method  Method `json:"method"`
				Session string `json:"session_id"`
			}) (any, error) {
				// The surface outlives this request.
				return s.attach(context.WithoutCancel(ctx), cmp.Or(p.Method, ClientAskUser), p.Session)
			}),
		},
		responseMethod(func() *peer { return s.peer }, s.work.Go, s.closedAsk),
	}
}

// closedAsk returns an ask that is closed.
func (s *session) closedAsk(ctx context.Context, id string) *hub.Ticket {
	t, err := s.hub.Get(ctx, id)
	if err != nil || t.Open() {
		return nil
	}
	return t
}

// attach makes the other side a surface, until the connection ends.
func (s *session) attach(ctx context.Context, m Method, conversation string) (any, error) {
	if m != ClientAskUser && m != AskUserRequest {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "params: %q is no method that asks; there are %s and %s", m, ClientAskUser, AskUserRequest)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attached {
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "this connection is attached already")
	}
	s.attached = true
	f := &surface{session: s, method: m, dialogs: map[string]*dialog{}}
	s.work.Go(func() {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s.work.Go(func() {
			select {
			case <-s.peer.gone:
				cancel()
			case <-ctx.Done():
			}
		})
		err := f.watch(ctx, &hub.Filter{Conversation: conversation})
		if err != nil && ctx.Err() == nil {
			s.peer.notify(ctx, "ui/detached", map[string]string{"reason": err.Error()})
		}
	})
	return map[string]bool{"attached": true}, nil
}

// surface shows what waits. Its methods are called one at a time.
type surface struct {
	session *session
	method  Method
	dialogs map[string]*dialog // by the ticket's id; one that ended stays until its ask is closed
}

// dialog is one ask on the surface.
type dialog struct {
	told bool // since the last reset
	end  context.CancelCauseFunc
}

// errGone says that the hub no longer has an ask.
var errGone = errors.New("the ask is gone")

func (f *surface) change(ctx context.Context, c hub.Change) {
	switch {
	case c.Reset:
		for _, d := range f.dialogs {
			d.told = false
		}
	case c.Ready:
		for id, d := range f.dialogs {
			if !d.told {
				delete(f.dialogs, id)
				f.session.work.Go(func() { f.missed(ctx, id, d) })
			}
		}
	case c.Ticket != nil:
		f.ticket(ctx, c.Ticket)
	}
}

// missed ends the dialog of an ask that is no longer open, whose end was not told.
func (f *surface) missed(ctx context.Context, id string, d *dialog) {
	t, err := f.session.hub.Get(ctx, id)
	for mayComeBack(err) && f.pause(ctx) {
		t, err = f.session.hub.Get(ctx, id)
	}
	if err == nil && !t.Open() {
		d.end(&sayso.SupersededError{Winner: t.Outcome})
		return
	}
	d.end(errGone)
}

func (f *surface) ticket(ctx context.Context, t *hub.Ticket) {
	d := f.dialogs[t.Handle]
	switch {
	case !t.Open() && d != nil:
		d.end(&sayso.SupersededError{Winner: t.Outcome})
		delete(f.dialogs, t.Handle)
	case t.Open() && d != nil:
		d.told = true
	case t.Open():
		ctx, end := context.WithCancelCause(ctx)
		f.dialogs[t.Handle] = &dialog{told: true, end: end}
		f.session.work.Go(func() { f.show(ctx, t) })
	}
}

// show has the ask answered by the user interface, or leaves it open.
func (f *surface) show(ctx context.Context, t *hub.Ticket) {
	p := f.session.peer
	if !t.TakesRelay() {
		p.notify(ctx, "ui/elsewhere", map[string]string{"request_id": t.Handle, "title": sayso.Title(t.Ask), "reason": elsewhere(t.Ask)})
		return
	}
	var refused error // by the hub
	err := p.ask(ctx, f.method, t.Handle, t.Ask, func(o *sayso.Outcome) error {
		refused = f.relay(ctx, t, o)
		return refused
	})
	switch {
	case err == nil, errors.Is(err, errLost):
	case err == refused, errors.Is(err, errTooOften):
		p.withdrawn(ctx, f.method, t.Handle, t.Ask, err)
	case ctx.Err() != nil:
		p.withdrawn(ctx, f.method, t.Handle, t.Ask, context.Cause(ctx))
	}
}

// elsewhere says why an ask is not shown here, and where it is.
func elsewhere(a *sayso.Ask) string {
	why := a.Needs()
	if why == "" {
		why = "It is for named people."
	}
	return why + " Answer it in the inbox: sayso inbox"
}

// relay hands an outcome on for as long as it takes: the person has said it, and need
// not say it again. News of this very answer may end ctx before the reply to it is
// here.
func (f *surface) relay(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) error {
	for {
		_, err := f.session.hub.Relay(context.WithoutCancel(ctx), t, o)
		if winner := closedBy(err); winner != nil {
			return &sayso.SupersededError{Winner: winner.Outcome}
		}
		switch {
		case !mayComeBack(err):
			return err
		case !f.pause(context.WithoutCancel(ctx)):
			return errLost
		}
	}
}

// watch watches for as long as it takes.
func (f *surface) watch(ctx context.Context, of *hub.Filter) error {
	for {
		err := f.session.hub.Watch(ctx, of, func(c hub.Change) { f.change(ctx, c) })
		if !mayComeBack(err) || !f.pause(ctx) {
			return err
		}
	}
}

// pause waits before something is tried again, which is in vain if it returns false.
func (f *surface) pause(ctx context.Context) bool {
	select {
	case <-time.After(time.Second):
		return true
	case <-f.session.peer.gone:
	case <-ctx.Done():
	}
	return false
}

// mayComeBack reports whether the hub is only away.
func mayComeBack(err error) bool {
	return errors.Is(err, sayso.ErrUnreachable) && !errors.Is(err, hub.ErrBroken)
}

// closedBy returns the ticket of an outcome that was faster, if that is what the
// error says.
func closedBy(err error) *hub.Ticket {
	var closed *hub.ClosedError
	if errors.As(err, &closed) {
		return closed.Ticket
	}
	return nil
}
