package surfacetest_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/prompt"
)

func TestPrompt(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "prompt", Virtual: true, Open: openPrompt})
}

// line is a terminal without a cursor: what is typed is read line by line, and what
// is written stays.
type line struct {
	mu     sync.Mutex
	cond   *sync.Cond
	typed  string // and not read yet
	shown  strings.Builder
	said   int // where what was shown after the last line begins
	closed bool
}

func newLine() *line {
	l := &line{}
	l.cond = sync.NewCond(&l.mu)
	return l
}

func (l *line) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.typed == "" {
		if l.closed {
			return 0, io.EOF
		}
		l.cond.Wait()
	}
	n := copy(b, l.typed)
	l.typed = l.typed[n:]
	return n, nil
}

func (l *line) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown.Write(b)
}

// types types a line. A terminal echoes it.
func (l *line) types(s string) {
	l.mu.Lock()
	l.typed += s + "\n"
	l.shown.WriteString(s + "\n")
	l.said = l.shown.Len()
	l.cond.Signal()
	l.mu.Unlock()
	synctest.Wait()
}

func (l *line) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown.String()
}

func openPrompt(w *surfacetest.World) *surfacetest.Person {
	tty := newLine()
	in := w.Inbox("terminal")
	var (
		end      context.CancelCauseFunc
		over     chan struct{}
		from     int // where the ask begins on the screen
		ask      *sayso.Ask
		buffered []string
	)
	by := sayso.Responder{Kind: sayso.ByPerson, ID: surfacetest.Who, Surface: "terminal"}
	leave := func() {
		if end != nil {
			end(errors.New("interrupted"))
			<-over
			synctest.Wait()
			end = nil
		}
	}
	w.Cleanup(func() {
		leave()
		tty.mu.Lock()
		tty.closed = true
		tty.cond.Signal()
		tty.mu.Unlock()
	})
	r := &prompt.Resolver{In: tty, Out: tty, By: by, Flush: func() {
		tty.mu.Lock()
		defer tty.mu.Unlock()
		tty.typed = ""
	}}
	show := func(t *hub.Ticket) {
		leave()
		r.Whole = func(ctx context.Context, _ *sayso.Ask) (*sayso.Ask, error) {
			a, _, err := hub.Whole(ctx, in, t)
			return a, err
		}
		from, ask, buffered = len(tty.text()), t.Ask, nil
		ctx, cancel := context.WithCancelCause(w.Context())
		end, over = cancel, make(chan struct{})
		r.Send = func(ctx context.Context, a *sayso.Ask, o *sayso.Outcome) (*sayso.Outcome, error) {
			to, shown := t.Address, *t
			to.ID = a.ID
			shown.Address = to
			_, err := in.Close(ctx, &shown, o)
			var closed *hub.ClosedError
			if errors.As(err, &closed) {
				return closed.Ticket.Outcome, nil
			}
			return nil, err
		}
		done := over
		go func() { // somebody else may be faster
			if closed, err := w.Hub.Wait(ctx, t.Address); err == nil {
				cancel(&sayso.SupersededError{Winner: closed.Outcome})
			}
		}()
		go func() {
			defer close(done)
			if _, err := r.Ask(ctx, t.Ask); errors.Is(err, sayso.ErrUnreachable) {
				return
			}
		}()
		synctest.Wait()
	}
	sees := func() string { return tty.text()[from:] }
	last := func() string {
		lines := strings.Split(strings.TrimRight(sees(), "\n"), "\n")
		return strings.Join(lines[max(len(lines)-4, 0):], "\n")
	}
	give := func(i int, text string) {
		if i < len(ask.Questions)-1 { // the next question comes after it
			tty.types(text)
			return
		}
		buffered = []string{text}
	}
	return &surfacetest.Person{
		Show: show, Sees: sees, SeesAll: sees, Says: func() string { return tty.text()[max(from, tty.said):] },
		Choose: func(i int, option string) {
			for j := range ask.Questions[i].Options {
				if ask.Questions[i].Options[j].ID == option {
					give(i, strconv.Itoa(j+1))
				}
			}
		},
		Type: give,
		Send: func() {
			switch {
			case len(buffered) > 0:
				tty.types(buffered[0])
				buffered = nil
			case strings.HasSuffix(sees(), "as your own words? (yes or no): "), strings.HasSuffix(sees(), "tell the agent that? (yes or no): "), strings.Contains(last(), "Send? (y to send"):
				tty.types("yes")
			default:
				tty.types("")
			}
		},
		Confirm:   func() { tty.types("yes") },
		Decline:   func() { tty.types("/decline") },
		Interrupt: leave,
		Away:      leave,
		Ahead:     func(keys string) { tty.types(strings.TrimSuffix(keys, "\n")) },
		Numbers:   true, Joined: true, Lines: true, Prints: true,
	}
}
