// Package terminal shows asks on a terminal, drawn or line by line, and gives the
// hub what the person says.
//
// Most programs call [Terminal.Answer] with the person's inbox. A program without a
// hub uses the [Terminal] as its resolver.
//
// What the package guarantees:
//
//   - What the person says counts once the hub has it; the dialog says so then, and
//     not before. While the hub is away it stays, and the person may try again.
//   - When somebody else is faster, the dialog ends and says who, where and with what.
//   - What was typed before the dialog appeared does not answer it.
package terminal

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/tui"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/prompt"
)

// By is how answers are signed that are given at a terminal. A hub that knows who
// calls puts its own in their place.
var By = sayso.Responder{Kind: sayso.ByPerson, Surface: "terminal"}

// Options are the options of [New].
type Options struct {
	TTY    *os.File // the terminal; must be set
	Plain  bool     // ask line by line, without drawing. Default: a dialog is drawn
	Locale string   // the person's language: "de_DE.UTF-8". Default: English
	Dir    string   // where paths are completed. Default: they are not

	Grace time.Duration            // see [tui.Options]; only for the inbox. Default: what the person has chosen, else 5 s
	Alert func(waiting int) string // see [tui.Options]; only for the inbox. Default: it is silent
}

// Terminal is where a person sits. It shows one ask at a time; its methods may be
// called from several goroutines.
type Terminal struct {
	o     Options
	lines *prompt.Resolver // one for all asks: a read that is under way cannot be called back

	turn  sync.Mutex // held while an ask is shown
	send  func(*sayso.Ask, *sayso.Outcome) (*sayso.Outcome, error)
	whole func(*sayso.Ask) (*sayso.Ask, error)
}

var _ sayso.Resolver = (*Terminal)(nil)

// New returns the terminal, which stays the caller's.
func New(o *Options) *Terminal {
	t := &Terminal{o: *o}
	t.lines = &prompt.Resolver{
		In: o.TTY, Out: o.TTY, By: By,
		Flush: func() { tui.FlushInput(o.TTY) },
		Width: func() int { w, _, _ := term.GetSize(o.TTY.Fd()); return w }, // 0: not known
		Whole: func(_ context.Context, a *sayso.Ask) (*sayso.Ask, error) {
			if t.whole == nil {
				return a.WithContent(nil)
			}
			return t.whole(a)
		},
		Send: func(_ context.Context, a *sayso.Ask, out *sayso.Outcome) (*sayso.Outcome, error) {
			if t.send == nil {
				return nil, nil
			}
			return t.send(a, out)
		},
	}
	return t
}

// Ask shows the ask here and nowhere else.
func (t *Terminal) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	return t.show(ctx, a, &tui.Options{})
}

// show shows an ask. The options say where drafts and outcomes go.
func (t *Terminal) show(ctx context.Context, a *sayso.Ask, o *tui.Options) (*sayso.Outcome, error) {
	t.turn.Lock()
	defer t.turn.Unlock()
	if t.o.Plain {
		t.send, t.whole = o.Send, o.Whole
		return t.lines.Ask(ctx, a)
	}
	return tui.NewResolver(t.options(o)).Ask(ctx, a)
}

// options adds to the options of a dialog what they are at this terminal.
func (t *Terminal) options(o *tui.Options) *tui.Options {
	o.By, o.Words = By, tui.Words(t.o.Locale)
	if t.o.Dir != "" {
		o.Complete = tui.CompletePath(t.o.Dir)
	}
	return o
}

// Answer shows the ask to the person and gives the hub what they say. It returns the
// ticket as it is then: open, if the person left it for later; closed by somebody
// else, if that was faster.
func (t *Terminal) Answer(ctx context.Context, in hub.Inbox, seen *hub.Ticket) (*hub.Ticket, error) {
	until, cancel := context.WithCancelCause(ctx)
	s := &sender{ctx: ctx, in: in, ticket: seen}
	var elsewhere atomic.Pointer[hub.Ticket]
	var watching sync.WaitGroup
	watching.Go(func() {
		if closed := untilClosed(until, in, seen); closed != nil {
			elsewhere.Store(closed)
			cancel(&sayso.SupersededError{Winner: closed.Outcome})
		}
	})
	out, err := t.show(until, seen.Ask, &tui.Options{Send: s.send, LoadDraft: s.load, SaveDraft: s.save, Attending: s.attend, Whole: s.whole, Later: true})
	cancel(nil)
	watching.Wait()
	switch {
	case s.sent.Load() != nil:
		return s.sent.Load(), nil
	case elsewhere.Load() != nil:
		return elsewhere.Load(), nil
	case err != nil:
		return nil, err
	case !out.Status.Final():
		return seen, nil
	}
	return nil, errors.New("terminal: the dialog ended with an outcome that it did not send")
}

// ErrLater says that the person left an ask for later.
var ErrLater = errors.New("terminal: left for later")

// Inbox has the person answer what waits, oldest first, until nothing does or they
// leave; line by line, they leave with [ErrLater]. say tells them how many wait, where nothing is drawn.
func (t *Terminal) Inbox(ctx context.Context, in hub.Inbox, say func(format string, args ...any)) error {
	if !t.o.Plain {
		return tui.RunInbox(ctx, in, t.options(&tui.Options{Alert: t.o.Alert, Grace: t.o.Grace}))
	}
	for {
		var waiting []*hub.Ticket
		err := hub.Each(ctx, in, nil, func(got *hub.Ticket) bool { waiting = append(waiting, got); return true })
		if err != nil {
			return err
		}
		if len(waiting) == 0 {
			say("All caught up.")
			return nil
		}
		slices.SortStableFunc(waiting, func(a, b *hub.Ticket) int { return a.Ask.AskedAt.Compare(b.Ask.AskedAt) })
		say("Waiting for you: %d", len(waiting))
		got, err := t.Answer(ctx, in, waiting[0])
		if err != nil {
			return err
		}
		if got.Open() {
			return ErrLater
		}
	}
}

// untilClosed returns the ticket once it is closed, or nil when ctx ends.
func untilClosed(ctx context.Context, in hub.Inbox, t *hub.Ticket) (closed *hub.Ticket) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	look := func() {
		// What cannot be listed now is told of later, or when the answer is sent.
		_ = hub.Each(watching, in, &hub.Filter{Conversation: t.Address.Conversation, Status: hub.AnyStatus}, func(got *hub.Ticket) bool {
			if got.Address == t.Address && !got.Open() {
				closed = got
			}
			return got.Address != t.Address
		})
	}
	for {
		_ = in.Watch(watching, func(c hub.Change) {
			switch {
			case c.Ticket != nil && c.Ticket.Address == t.Address && !c.Ticket.Open():
				closed = c.Ticket
			case c.Reset:
				look()
			}
			if closed != nil {
				stop()
			}
		})
		if closed != nil || ctx.Err() != nil {
			return closed
		}
		select { // the hub is away
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil
		}
	}
}

// sender takes what a person says to the hub, and keeps their drafts there.
type sender struct {
	ctx    context.Context // of the one ask that it is made for
	in     hub.Inbox
	ticket *hub.Ticket
	// sent is the ticket as it came to be. The dialog may end, because news of
	// its own answer came back, while what sent it still runs.
	sent atomic.Pointer[hub.Ticket]
}

func (s *sender) send(_ *sayso.Ask, o *sayso.Outcome) (winner *sayso.Outcome, err error) {
	got, err := s.in.Close(s.ctx, s.ticket, o)
	var closed *hub.ClosedError
	switch {
	case errors.As(err, &closed):
		s.sent.Store(closed.Ticket)
		return closed.Ticket.Outcome, nil
	case err == nil:
		s.sent.Store(got)
	}
	return nil, err
}

// whole returns an approval with everything that is stored beside the ask.
func (s *sender) whole(*sayso.Ask) (*sayso.Ask, error) {
	a, _, err := hub.Whole(s.ctx, s.in, s.ticket)
	return a, err
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

// attend tells a hub that wants to know it that the person is at the ask. One that does
// not learn it notifies them, no more.
func (s *sender) attend(*sayso.Ask) {
	if a, ok := s.in.(interface {
		Attend(context.Context, *hub.Ticket) error
	}); ok {
		_ = a.Attend(s.ctx, s.ticket)
	}
}
