package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/surface/tui"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/prompt"
)

// here is the terminal at which a person may sit.
type here struct {
	p   *program
	tty *os.File
}

func (h *here) Close() { h.tty.Close() }

var errNobodyHere = errors.New("there is no terminal")

// atTerminal is how answers are signed that are given here.
var atTerminal = sayso.Responder{Kind: sayso.ByPerson, Surface: "terminal"}

// here returns the terminal of the process, whatever its standard streams are.
//
// An agent that runs us with all three streams as pipes may share its terminal
// with us, and draws on it itself: there we ask only when told to.
func (p *program) here() (*here, error) {
	switch p.dialog {
	case "never":
		return nil, errNobodyHere
	case "auto":
		if !console.IsTerminal(p.In) && !console.IsTerminal(p.Out) && !console.IsTerminal(p.Err) {
			return nil, errNobodyHere
		}
	case "always":
	default:
		return nil, console.Usage("--dialog is auto, always or never")
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNobodyHere, err)
	}
	if !foreground(tty) {
		tty.Close()
		return nil, fmt.Errorf("%w for a process in the background", errNobodyHere)
	}
	return &here{p, tty}, nil
}

// Ask shows the ask to the person here, and nowhere else.
func (h *here) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	return h.resolver(nil).Ask(ctx, a)
}

func (h *here) resolver(o *tui.Options) sayso.Resolver {
	if h.p.isPlain() {
		return &prompt.Resolver{In: h.tty, Out: h.tty, By: atTerminal}
	}
	return tui.NewResolver(h.options(o))
}

// options adds to the options of a dialog, which may be nil, what they are here.
func (h *here) options(o *tui.Options) *tui.Options {
	if o == nil {
		o = &tui.Options{}
	}
	o.By, o.Complete, o.Words = atTerminal, tui.CompletePath(h.p.Dir), h.p.words()
	return o
}

// words returns the language that the person reads.
func (p *program) words() *tui.Catalogue {
	return tui.Words(p.Locale())
}

// ask shows the ask to the person here and gives the hub what they say. It
// returns the ticket as it is then: open, if they leave it for later; closed by
// somebody else, if that was faster.
func (h *here) ask(ctx context.Context, c *client.Client, t *hub.Ticket) (*hub.Ticket, error) {
	until, cancel := context.WithCancelCause(ctx)
	closed := make(chan *hub.Ticket, 1)
	go func() {
		defer close(closed)
		if got, err := c.Wait(until, t.Handle); err == nil {
			closed <- got
			cancel(&sayso.SupersededError{Winner: got.Outcome})
		}
	}()
	s := &sender{ctx: ctx, client: c, ticket: t}
	o, err := h.resolver(s.options()).Ask(until, t.Ask)
	cancel(nil)
	elsewhere := <-closed
	switch {
	case s.sent.Load() != nil: // the dialog has sent it
		return s.sent.Load(), nil
	case elsewhere != nil:
		return elsewhere, nil
	case err != nil:
		return nil, err
	case !o.Status.Final():
		return t, nil
	}
	if _, err := s.send(t.Ask, o); err != nil {
		return nil, err
	}
	return s.sent.Load(), nil
}

// sender takes what a person says to the hub, and keeps their drafts there.
type sender struct {
	ctx    context.Context // of the one ask that it is made for
	client *client.Client
	ticket *hub.Ticket
	// sent is the ticket as it came to be. The dialog may end, because news of
	// its own answer came back, while what sent it still runs.
	sent atomic.Pointer[hub.Ticket]
}

func (s *sender) options() *tui.Options {
	return &tui.Options{Send: s.send, LoadDraft: s.load, SaveDraft: s.save}
}

func (s *sender) send(_ *sayso.Ask, o *sayso.Outcome) (winner *sayso.Outcome, err error) {
	got, err := s.client.Answer(s.ctx, s.ticket, o)
	if first := closedElsewhere(err); first != nil {
		s.sent.Store(first)
		return first.Outcome, nil
	}
	if err == nil {
		s.sent.Store(got)
	}
	return nil, err
}

func (s *sender) load(*sayso.Ask) ([]sayso.Answer, error) {
	d, err := s.client.Draft(s.ctx, s.ticket.Handle)
	if errors.Is(err, hub.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return d.Answers, nil
}

func (s *sender) save(_ *sayso.Ask, answers []sayso.Answer) error {
	return s.client.SaveDraft(s.ctx, s.ticket.Handle, &hub.Draft{Answers: answers})
}
