package tui

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// asking is set in a child process that only asks: the test binary once more.
const asking = "SAYSO_TUI_TEST_ASK"

// longGuard is long enough for a busy machine to type into it.
const longGuard = 5 * time.Second

type askResult struct {
	Outcome     *sayso.Outcome
	Unreachable bool
	Lost        bool
	Err         string
}

// askForTest asks on /dev/tty and writes the outcome to standard output, which is
// a pipe, as is standard input.
func askForTest(how string) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	o := &Options{Guard: -1}
	if how == "guard" {
		o.Guard = longGuard
	}
	if how == "lose" {
		go func() { // the parent says when
			_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
			cancel(&sayso.SupersededError{Winner: elsewhere("web", sayso.StatusAnswered)})
		}()
	}
	var out *sayso.Outcome
	var err error
	if how == "inbox" {
		err = inboxForTest(ctx, o)
	} else {
		out, err = NewResolver(o).Ask(ctx, databases())
	}
	result := askResult{Outcome: out, Unreachable: errors.Is(err, sayso.ErrUnreachable)}
	var lost *sayso.SupersededError
	result.Lost = errors.As(err, &lost)
	if err != nil {
		result.Err = err.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
}

// inboxForTest opens an inbox on a hub in memory with two asks in it.
func inboxForTest(ctx context.Context, o *Options) error {
	h, err := hub.Open(ctx, hub.NewMemory(nil), nil)
	if err != nil {
		return err
	}
	defer h.Stop()
	for _, a := range []*sayso.Ask{databases(), branches()} {
		a.Normalize()
		if _, err := h.Submit(ctx, "t", a); err != nil {
			return err
		}
	}
	o.By = ann
	return RunInbox(ctx, h.Inbox("t", ann), o)
}
