package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

func TestReport(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		err  error
		code int
		text string // after "prog: "; empty: nothing is said
		json string
	}{
		{"done", nil, 0, "", ""},
		{"a fault", errors.New("the disk is full"), 1, "the disk is full", `{"error":"the disk is full","exit":1}`},
		{"a deadline is a fault", fmt.Errorf("asking: %w", context.DeadlineExceeded), 1,
			"asking: context deadline exceeded", `{"error":"asking: context deadline exceeded","exit":1}`},
		{"wrong usage", Usage("give %s", "an id"), 2, "give an id", `{"error":"give an id","exit":2}`},
		{"wrong usage inside", fmt.Errorf("hook: %w", Usage("no")), 2, "hook: no", `{"error":"hook: no","exit":2}`},
		{"the outer code counts", asFault(Usage("no")), 1, "no", `{"error":"no","exit":1}`},
		{"a next step", Usage("no id").Next("Open questions: sayso list."), 2,
			"no id\n  Open questions: sayso list.", `{"error":"no id","hint":"Open questions: sayso list.","exit":2}`},
		{"a next step inside", fmt.Errorf("a: %w", asFault(Usage("b").Next("c\nd"))), 1, "a: b\n  c\n  d", `{"error":"a: b","hint":"c\nd","exit":1}`},
		{"unreachable", fmt.Errorf("%w: no hub", sayso.ErrUnreachable), 3,
			strings.TrimPrefix(sayso.ErrUnreachable.Error(), "prog: ") + ": no hub", `{"error":"` + sayso.ErrUnreachable.Error() + `: no hub","exit":3}`},
		{"a result", &ExitError{Code: ExitDeclined}, 4, "", ""},
		{"left open", &ExitError{Code: ExitLater}, 75, "", ""},
		{"a signal", ErrInterrupted, 130, "interrupted", `{"error":"interrupted","exit":130}`},
		{"cancelled", fmt.Errorf("asking: %w", context.Canceled), 130, "interrupted", `{"error":"interrupted","exit":130}`},
		{"cancelled while nobody could be asked", errors.Join(sayso.ErrUnreachable, context.Canceled), 130, "interrupted", `{"error":"interrupted","exit":130}`},
		{"cancelled, but with a code", asFault(context.Canceled), 1, "context canceled", `{"error":"context canceled","exit":1}`},
		{"a code of its own, in words of its own", &ExitError{Code: ExitInterrupted, Err: errors.New("stopped")}, 130, "stopped", `{"error":"stopped","exit":130}`},
		{"the name stands once", errors.New("prog: no questions"), 1, "no questions", `{"error":"prog: no questions","exit":1}`},
		{"another name stays", errors.New("sayso: no questions"), 1, "sayso: no questions", `{"error":"sayso: no questions","exit":1}`},
		{"hostile", errors.New("no \x1b[31m\u202eask"), 1, sayso.SafeText("no \x1b[31m\u202eask"), `{"error":"no \u001b[31m\u202eask","exit":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, form := range []struct {
				json bool
				want string
			}{{false, "prog: " + tc.text}, {true, tc.json}} {
				want := form.want + "\n"
				if tc.json == "" {
					want = ""
				}
				var out, errs strings.Builder
				w := &World{Out: &out, Err: &errs}
				if code := w.Report("prog", form.json, tc.err); code != tc.code || code != Code(tc.err) {
					t.Errorf("code %d, want %d", code, tc.code)
				}
				if errs.String() != want || out.Len() > 0 {
					t.Errorf("says %q and prints %q, want %q and nothing", errs.String(), out.String(), want)
				}
			}
		})
	}
}

func asFault(err error) error { return &ExitError{Code: ExitFault, Err: err} }

func TestEnded(t *testing.T) {
	t.Parallel()
	for status, want := range map[sayso.Status]int{
		sayso.StatusAnswered:    0,
		sayso.StatusUnreachable: 3,
		sayso.StatusDeclined:    4,
		sayso.StatusCancelled:   4,
		sayso.StatusSuperseded:  4,
		sayso.StatusUnanswered:  4,
		sayso.StatusExpired:     5,
		sayso.StatusPending:     75,
		"unheard of":            4, // never an answer
	} {
		err := Ended(status)
		if got := Code(err); got != want {
			t.Errorf("%s: code %d, want %d", status, got, want)
		}
		var errs strings.Builder
		if (&World{Err: &errs}).Report("prog", false, err); errs.Len() > 0 {
			t.Errorf("%s: the result was printed, and yet it says %q", status, errs.String())
		}
	}
}
