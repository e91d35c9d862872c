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
		Short:   "Run an editor's ACP agent through sayso",
		Long: `Run an agent that speaks the Agent Client Protocol (ACP), on standard input and
output. In the editor's settings, put "sayso acp --" before the agent's command.

The editor and your inbox show the agent's questions and its requests for
permission. The first answer wins. An answer to a question that comes after the
agent has ended reaches it with the session's next prompt.`,
		Example: `  sayso acp -- claude-agent-acp
  sayso acp -- qwen --acp`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.Usage("acp needs the command that starts the agent").
					Next("Usage: sayso acp -- AGENT [ARG...]. Example: sayso acp -- claude-agent-acp.")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.acp(cmd.Context(), args, &acp.Options{Origin: p.origin(), NoEditor: noEditor})
		},
	}
	cmd.Flags().SetInterspersed(false) // the agent's flags are the agent's
	cmd.Flags().BoolVar(&noEditor, "no-editor", false, "ask only in the inbox, for an editor that nobody watches; deny what nobody decides")
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
	agent.Env = append(os.Environ(), acpEnv+"=1")
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
		return console.Fault("cannot start the agent %q: %s", command[0], reason(err)).
			Next("Check the command after --: sayso acp -- AGENT [ARG...].")
	}
	opts.Origin.Host = filepath.Base(command[0])
	opts.Server = p.server()
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
		return fmt.Errorf("the agent failed: %w", err)
	}
	return nil
}

// server is the MCP server of this program, which every session of the agent gets.
func (p *program) server() *acp.Server {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	s := &acp.Server{Command: exe, Args: []string{"mcp"}, Env: map[string]string{acpEnv: "1"}}
	if p.hub != "" {
		s.Args = append(s.Args, "--hub", p.hub)
	}
	if p.keyFile != "" {
		s.Args = append(s.Args, "--key-file", p.keyFile)
	}
	return s
}
