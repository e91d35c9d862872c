package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) healthCommand() *cobra.Command {
	var limit time.Duration
	cmd := &cobra.Command{
		GroupID: groupServer,
		Use:     "health",
		Short:   "Ask the hub whether it is ready",
		Long: `Ask the hub whether it is ready. Exits with 0 if it is, and with 1 if it is
not, or if no hub is running. It prints one line, starts nothing and needs no key:
use it as the health check of a container.`,
		Example: `  sayso health
  sayso health --hub https://hub.example --timeout 1s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.health(cmd.Context(), limit) },
	}
	cmd.Flags().DurationVar(&limit, "timeout", 2*time.Second, "how long the hub may take to answer")
	return cmd
}

func (p *program) health(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ready := p.ready(ctx)
	if ctx.Err() != nil && ready != nil {
		ready = fmt.Errorf("the hub did not answer within %s", limit)
	}
	line := "ok"
	if ready != nil {
		line = plainly(ready).Error()
	}
	var err error
	if p.json {
		view := map[string]any{"ok": ready == nil}
		if ready != nil {
			view["detail"] = line
		}
		if f := hub.FaultOf(ready); f != "" {
			view["reason"] = f
		}
		err = p.PrintJSON(view)
	} else {
		err = p.Print(line)
	}
	if err == nil && ready != nil {
		err = &console.ExitError{Code: console.ExitFault}
	}
	return err
}

// errNotRunning says that the person's own hub does not run, which is no fault.
var errNotRunning = errors.New("no hub is running; the next command that needs one starts it")

// ready asks the hub whether it is ready, and starts none.
func (p *program) ready(ctx context.Context) error {
	at := p.hub
	switch at {
	case "none":
		return errNoHub
	case "":
		s, err := p.starter()
		if err != nil {
			return err
		}
		running, err := s.Running(ctx)
		if err != nil {
			return fmt.Errorf("connecting to %s: %w", s.Places.Socket(), err)
		}
		if !running {
			return errNotRunning
		}
		at = s.Places.Socket()
	}
	c, err := client.New(at, &client.Options{Patience: -1})
	if err != nil {
		return console.Usage("--hub: %w", err)
	}
	defer c.Close()
	return c.Ready(ctx)
}

// plainly returns the part of an error that says why the hub cannot store
// anything, without what it went through on its way here. The exit code stays.
func plainly(err error) error {
	var says *client.Error
	var storage *hub.StorageError
	switch {
	case errors.As(err, &says) && says.Reason != "":
		return &spoken{err, says.Detail}
	case errors.As(err, &storage):
		return &spoken{err, storage.Error()}
	}
	return err
}

// spoken is an error in other words.
type spoken struct {
	error
	text string
}

func (e *spoken) Error() string { return e.text }
func (e *spoken) Unwrap() error { return e.error }
