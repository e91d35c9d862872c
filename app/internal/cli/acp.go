package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/acp"
)

func (p *program) acpCommand() *cobra.Command {
	var noEditor bool
	cmd := &cobra.Command{
		GroupID: groupConnect,
		Use:     "acp [flags] -- AGENT [ARG...]",
		Short:   "Run an ACP agent for an editor, and have its questions answered anywhere",
		Long: `Run an agent that speaks the Agent Client Protocol, for an editor that does, on
standard input and output. Configure this as the agent's command in the editor:

  sayso acp -- claude-agent-acp

What the agent asks is asked in the editor and in the hub. The first answer wins.
An answer that comes after the agent has gone is told at the next prompt of the
session.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.acp(cmd.Context(), args, &acp.Options{Origin: p.origin(), NoEditor: noEditor})
		},
	}
	cmd.Flags().SetInterspersed(false) // the agent's flags are the agent's
	cmd.Flags().BoolVar(&noEditor, "no-editor", false, "ask in the hub alone: for an editor that is a program with nobody in front of it")
	return cmd
}

func (p *program) acp(ctx context.Context, command []string, opts *acp.Options) error {
	c, err := p.connectAs(ctx, "editor")
	if err != nil {
		return err
	}
	defer c.Close()
	running, kill := context.WithCancel(ctx)
	defer kill()
	agent := exec.CommandContext(running, command[0], command[1:]...)
	agent.Dir, agent.Stderr = p.Dir, p.Err
	agent.Cancel = func() error { return agent.Process.Signal(syscall.SIGTERM) }
	agent.WaitDelay = 5 * time.Second
	in, err := agent.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting the agent: %w", err)
	}
	out, toUs, err := os.Pipe() // not StdoutPipe: Wait must not close what is still read
	if err != nil {
		return fmt.Errorf("starting the agent: %w", err)
	}
	defer out.Close()
	agent.Stdout = toUs
	err = agent.Start()
	toUs.Close()
	if err != nil {
		return &console.ExitError{Code: console.ExitFault, Err: fmt.Errorf("starting the agent: %w", err)}
	}
	opts.Origin.Host = filepath.Base(command[0])
	proxied := acp.Proxy(ctx, c, acp.Stream{In: p.In, Out: open{p.Out}}, acp.Stream{In: out, Out: in}, opts)
	if proxied != nil {
		kill() // it has nobody to speak with
	}
	err = agent.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case proxied != nil:
		return proxied
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return &console.ExitError{Code: exit.ExitCode()} // as if the editor had started it
	case err != nil:
		return fmt.Errorf("the agent: %w", err)
	}
	return nil
}
