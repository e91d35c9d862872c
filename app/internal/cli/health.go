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
		Short:   "Check whether the hub is ready",
		Long: `Check whether the hub is ready: exit code 0 if it is, 1 if it is not or if no hub
is running. It prints one line, starts no hub and needs no key, so you can use it as
the health check of a container.`,
		Example: `  $ sayso health
  $ sayso health --hub http://127.0.0.1:7777 --timeout 1s`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.health(cmd.Context(), limit) },
	}
	limit = 2 * time.Second
	cmd.Flags().Var(console.Positive(&limit), "timeout", "longest time to wait for the hub")
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
		line = explain(ready).Error()
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
		return wrongHub(at)
	}
	defer c.Close()
	return c.Ready(ctx)
}
