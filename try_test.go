package sayso_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/prompt"
	"github.com/saysohq/sayso/saysotest"
)

// keeper keeps asks and says what it is told to say of them.
type keeper struct {
	sayso.Resolver
	o   *sayso.Outcome
	err error
	got *sayso.Ask
}

func (k *keeper) TryAsk(_ context.Context, a *sayso.Ask) (*sayso.Outcome, string, error) {
	k.got = a
	return k.o, "handle", k.err
}

func TestTry(t *testing.T) {
	t.Parallel()
	pending := &sayso.Outcome{Status: sayso.StatusPending}
	answer := answered(sayso.Answer{QuestionID: "q1", Selected: []string{"o2"}})
	broken := errors.New("broken")
	terminal := &prompt.Resolver{In: strings.NewReader("2\n"), Out: io.Discard}
	for _, c := range []struct {
		name   string
		r      sayso.Resolver
		status sayso.Status
		handle string
		err    error
	}{
		{"open", &keeper{o: pending}, sayso.StatusPending, "handle", nil},
		{"answered", &keeper{o: answer}, sayso.StatusAnswered, "handle", nil},
		{"cancelled", &keeper{err: sayso.ErrCancelled}, sayso.StatusCancelled, "handle", nil},
		{"broken", &keeper{err: broken}, "", "", broken},
		{"nobody", nil, "", "", sayso.ErrUnreachable},
		{"a terminal", terminal, "", "", sayso.ErrUnreachable},
		{"the first that keeps it", sayso.Fallback(terminal, nil, &keeper{err: sayso.ErrUnreachable}, &keeper{o: pending}), sayso.StatusPending, "handle", nil},
		{"one that breaks", sayso.Fallback(&keeper{err: broken}, &keeper{o: pending}), "", "", broken},
		{"none keeps it", sayso.Fallback(terminal), "", "", sayso.ErrUnreachable},
		{"no race", sayso.Race(terminal, &keeper{o: pending}), sayso.StatusPending, "handle", nil},
		{"denied", sayso.Deny("no"), sayso.StatusUnreachable, "", nil},
		{"a person who answers", saysotest.Answers("SQLite", "x"), sayso.StatusAnswered, "saysotest:", nil},
		{"a person who never comes", saysotest.Absent(), sayso.StatusPending, "saysotest:", nil},
	} {
		o, handle, err := sayso.Try(t.Context(), c.r, database())
		if !errors.Is(err, c.err) || err != nil && o != nil {
			t.Errorf("%s: %+v, %v, want %v", c.name, o, err, c.err)
		}
		if err == nil && (o.Status != c.status || handle != c.handle) {
			t.Errorf("%s: %s, %q, want %s, %q", c.name, o.Status, handle, c.status, c.handle)
		}
	}
	if _, _, err := sayso.Try(t.Context(), &keeper{}, database()); err == nil {
		t.Error("neither an outcome nor an error is taken for something")
	}
}

func TestTryEscalate(t *testing.T) {
	t.Parallel()
	k := &keeper{o: &sayso.Outcome{Status: sayso.StatusPending}}
	o, handle, err := sayso.Try(t.Context(), sayso.Escalate("researcher", nil, sayso.Escalate("planner", k)), database())
	if err != nil || o.Status != sayso.StatusPending || handle != "handle" {
		t.Errorf("%+v, %q, %v", o, handle, err)
	}
	if want := []string{"planner", "researcher"}; !slices.Equal(k.got.Origin.Agents, want) {
		t.Errorf("asked by %q, want %q", k.got.Origin.Agents, want)
	}
}
