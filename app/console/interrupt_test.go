package console

import (
	"context"
	"errors"
	"os"
	"testing"
)

func TestInterruptible(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 1)
	ctx, stop := Interruptible(t.Context(), signals)
	if ctx.Err() != nil {
		t.Fatal("it ends before the signal")
	}
	signals <- os.Interrupt
	<-ctx.Done()
	if cause := context.Cause(ctx); cause != ErrInterrupted {
		t.Errorf("it ends because of %v", cause)
	}
	stop()

	ctx, stop = Interruptible(t.Context(), signals)
	stop()
	signals <- os.Interrupt // is for whoever comes next
	if cause := context.Cause(ctx); cause != context.Canceled {
		t.Errorf("after stop it ends because of %v", cause)
	}
	if len(signals) != 1 {
		t.Error("a signal was taken after stop")
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(ErrInterrupted)
	for _, tc := range []struct {
		name      string
		ctx       context.Context
		err, want error
	}{
		{"done", t.Context(), nil, nil},
		{"broken", t.Context(), broken, broken},
		{"done just before the signal", ended, nil, nil},
		{"broken by the signal", ended, broken, ErrInterrupted},
		{"a result that the signal outruns", ended, &ExitError{Code: ExitDeclined}, ErrInterrupted},
	} {
		if got := Interrupted(tc.ctx, tc.err); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
