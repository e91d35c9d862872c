package prompt_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/prompt"
	"github.com/saysohq/sayso/saysotest"
)

// stream is a person's end of a blocking pair of streams.
type stream struct {
	*io.PipeWriter // what the person types

	mu     sync.Mutex
	screen bytes.Buffer
}

func (s *stream) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// write is the program's end of the screen.
func (s *stream) write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.Write(p)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func open(t *testing.T) (*stream, *prompt.Resolver) {
	in, typed := io.Pipe()
	s := &stream{PipeWriter: typed}
	t.Cleanup(func() { typed.Close() }) // lets the last read end
	return s, &prompt.Resolver{In: in, Out: writerFunc(s.write)}
}

// reply is what an Ask came back with.
type reply struct {
	o   *sayso.Outcome
	err error
}

func askLater(ctx context.Context, r sayso.Resolver, a *sayso.Ask) <-chan reply {
	c := make(chan reply, 1)
	go func() {
		o, err := r.Ask(ctx, a)
		c <- reply{o, err}
	}()
	return c
}

func TestWithdrawnInTheMiddleOfARead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		between string // typed when nothing is asked
		want    string
	}{
		{"nothing typed between", "", "second"},
		{"a line typed too late", "yes, delete it\n", "second"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, r := open(t)
				ctx, cancel := context.WithCancelCause(t.Context())
				first := askLater(ctx, r, normalized(sayso.Question{Text: "Delete it?"}))
				synctest.Wait()
				cancel(errBroken)
				if got := <-first; got.o != nil || !errors.Is(got.err, errBroken) {
					t.Fatalf("withdrawn: got %+v, %v, want the cause", got.o, got.err)
				}
				if !strings.HasSuffix(s.shown(), "\nStopped. Nothing was sent.\n") {
					t.Errorf("the person is not told:\n%s", s.shown())
				}
				if tt.between != "" {
					s.Write([]byte(tt.between))
					synctest.Wait()
				}
				second := askLater(t.Context(), r, normalized(sayso.Question{Text: "Its name?"}))
				synctest.Wait()
				s.Write([]byte("second\n"))
				if got := <-second; got.err != nil || got.o.Answers[0].Other != tt.want {
					t.Errorf("the next ask was answered with %+v, %v, want %q", got.o, got.err, tt.want)
				}
			})
		})
	}
}

func TestEndBetweenAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, r := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		first := askLater(ctx, r, normalized(name))
		synctest.Wait()
		cancel()
		<-first
		s.Close()
		synctest.Wait()
		if o, err := r.Ask(t.Context(), normalized(name)); err != nil || o.Status != sayso.StatusPending {
			t.Errorf("got %+v, %v, want it left open", o, err)
		}
	})
}

func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, r := open(t)
		o, err := sayso.Race(r, saysotest.Answers("SQLite").After(1)).Ask(t.Context(), normalized(database))
		if err != nil || o.Answers[0].Selected[0] != "o2" {
			t.Fatalf("got %+v, %v", o, err)
		}
		want := "Closed elsewhere by person (saysotest). Nothing was sent from here.\n✓ Database: SQLite\n"
		if !strings.HasSuffix(s.shown(), want) {
			t.Errorf("the person saw\n%s, want at its end\n%s", s.shown(), want)
		}
	})
}

func TestOneAskAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, r := open(t)
		first := askLater(t.Context(), r, normalized(sayso.Question{Text: "First?"}))
		synctest.Wait()
		second := askLater(t.Context(), r, normalized(sayso.Question{Text: "Second?"}))
		ctx, cancel := context.WithCancel(t.Context())
		third := askLater(ctx, r, normalized(sayso.Question{Text: "Third?"}))
		synctest.Wait()
		cancel()
		if got := <-third; !errors.Is(got.err, context.Canceled) {
			t.Errorf("an ask whose turn did not come: %+v, %v", got.o, got.err)
		}
		if shown := s.shown(); strings.Contains(shown, "Second?") || strings.Contains(shown, "Third?") {
			t.Errorf("questions are mixed:\n%s", shown)
		}
		s.Write([]byte("1\n"))
		synctest.Wait()
		s.Write([]byte("2\n"))
		if a, b := <-first, <-second; a.o.Answers[0].Other != "1" || b.o.Answers[0].Other != "2" {
			t.Errorf("got %+v and %+v", a.o, b.o)
		}
	})
}
