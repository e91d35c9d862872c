package cli

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/tui"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/prompt"
)

// atTerminal is how answers are signed that are given here.
var atTerminal = sayso.Responder{Kind: sayso.ByPerson, Surface: "terminal"}

// ask shows a dialog for an ask, below what was said, and gives the hub what the
// person says. It reports whether the ask is closed, here or elsewhere.
func (t *talk) ask(ctx context.Context, a *sayso.Ask) (closed bool, err error) {
	in, err := t.d.inbox("terminal")
	if err != nil {
		return false, err
	}
	ticket, err := t.d.ticket(ctx, in, a)
	switch {
	case errors.Is(err, hub.ErrNotFound):
		return false, nil // it is not to this person
	case err != nil:
		return false, err
	case !ticket.Open():
		return true, nil
	}
	until, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { t.d.foldWith(until, in, a, cancel) })
	s := &sender{ctx: ctx, in: in, ticket: ticket}
	o, err := t.resolver(s).Ask(until, ticket.Ask)
	elsewhere := errors.As(context.Cause(until), new(*sayso.SupersededError))
	cancel(nil)
	watching.Wait()
	switch {
	case s.sent.Load(), elsewhere:
		return true, nil
	case errors.Is(err, sayso.ErrUnreachable):
		t.line("This question cannot be answered here: %v", err)
		return false, nil
	case err != nil:
		return false, err
	case !o.Status.Final():
		return false, nil
	}
	_, err = s.send(a, o)
	return err == nil, err
}

// resolver is the dialog, or questions line by line for who wants no drawing.
func (t *talk) resolver(s *sender) sayso.Resolver {
	if t.Plain() {
		return &prompt.Resolver{In: t.tty.file, Out: t.tty.file, By: atTerminal}
	}
	return tui.NewResolver(&tui.Options{
		By: atTerminal, Complete: tui.CompletePath(t.Dir), Words: tui.Words(t.Locale()),
		Send: s.send, LoadDraft: s.load, SaveDraft: s.save,
	})
}

// foldWith ends a dialog when its ask is closed elsewhere.
func (d *desk) foldWith(ctx context.Context, in hub.Inbox, a *sayso.Ask, cancel context.CancelCauseFunc) {
	look := make(chan struct{}, 1)
	var looking sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	looking.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-look:
			}
			if t, err := d.ticket(ctx, in, a); err == nil && !t.Open() {
				cancel(&sayso.SupersededError{Winner: t.Outcome})
				return
			}
		}
	})
	// When it cannot be watched any more, the dialog stays; sending says who was
	// faster.
	_ = in.Watch(ctx, func(c hub.Change) {
		switch {
		case c.Ticket != nil && c.Ticket.Ask.ID == a.ID && !c.Ticket.Open():
			cancel(&sayso.SupersededError{Winner: c.Ticket.Outcome})
		case c.Reset:
			select {
			case look <- struct{}{}:
			default:
			}
		}
	})
	<-ctx.Done()
	stop()
	looking.Wait()
}

// sender takes what a person says to the hub, and keeps their drafts there.
type sender struct {
	ctx    context.Context // of the one ask that it is made for
	in     hub.Inbox
	ticket *hub.Ticket
	sent   atomic.Bool
}

func (s *sender) send(_ *sayso.Ask, o *sayso.Outcome) (winner *sayso.Outcome, err error) {
	_, err = s.in.Close(s.ctx, s.ticket, o)
	var closed *hub.ClosedError
	if errors.As(err, &closed) {
		s.sent.Store(true)
		return closed.Ticket.Outcome, nil
	}
	s.sent.Store(s.sent.Load() || err == nil)
	return nil, err
}

func (s *sender) load(*sayso.Ask) ([]sayso.Answer, error) {
	d, err := s.in.Draft(s.ctx, s.ticket)
	if errors.Is(err, hub.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return d.Answers, nil
}

func (s *sender) save(_ *sayso.Ask, answers []sayso.Answer) error {
	return s.in.SaveDraft(s.ctx, s.ticket, &hub.Draft{Answers: answers})
}
