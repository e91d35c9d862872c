package console

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Signals returns the signals that ask the program to end: an interrupt, a
// request to terminate, a terminal that is gone. Until stop is called they no
// longer end the process by themselves. Hand them to [Interruptible], or receive
// them where an interrupt means something else.
func Signals() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}

// Interruptible returns a context that ends with the next signal, and whose cause
// is then [ErrInterrupted]. Call stop when the work is done.
func Interruptible(ctx context.Context, signals <-chan os.Signal) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-signals:
			cancel(ErrInterrupted)
		case <-end:
		}
	}()
	return ctx, func() { close(end); <-done; cancel(nil) }
}

// Interrupted returns why ctx has ended in place of an error, if it has: what a
// step reports then is a consequence of that.
func Interrupted(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
