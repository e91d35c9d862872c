package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/claudecall"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// hookCommand is for agents. To Claude Code the exit code 2 of a hook means that
// the call is refused, so here even wrong usage is a mere fault.
func (p *program) hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupConnect,
		Use:     "hook",
		Short:   "Run as a hook of an agent",
		Long: `Run as a hook of an agent. Agents start this command; you do not need to.
"sayso setup" writes it into an agent's settings.`,
		Example: "  sayso hook claude < event.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return asFault(noAgent("hooks", args[0]))
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return asFault(p.configure(cmd.Flags())) },
	}
	wrongFlag := p.FlagError()
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return asFault(wrongFlag(cmd, err)) })
	console.Add(cmd, p.hookClaudeCommand())
	return cmd
}

func asFault(err error) error {
	if err == nil {
		return nil
	}
	return &console.ExitError{Code: console.ExitFault, Err: err}
}

func (p *program) hookClaudeCommand() *cobra.Command {
	o := &hook.Options{Place: workplace, Read: claudecall.ReadFile}
	cmd := &cobra.Command{
		Use:   "claude",
		Short: "Run as a hook of Claude Code",
		Long: `Run as a hook of Claude Code: read an event as JSON from standard input and print
what Claude Code does next. "sayso setup claude" writes the settings.

At a terminal, Claude Code shows its own dialog while the question, or what it needs
permission for, is in your inbox, and the first answer wins. In "claude -p" the call
waits for your answer; to ask questions, it needs --permission-prompt-tool stdio.

If the hub cannot be reached, Claude Code continues as if there were no hook.`,
		Example: "  sayso hook claude < event.json",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return asFault(p.hookClaude(cmd.Context(), o)) },
	}
	f := cmd.Flags()
	f.Var(console.Positive(&o.Wait), "wait", "in claude -p: longest time to wait (default: Claude Code's own; none with --defer)")
	f.BoolVar(&o.Defer, "defer", false, "in claude -p: end the run at an open question; claude -p --resume continues")
	return cmd
}

func (p *program) hookClaude(ctx context.Context, o *hook.Options) error {
	data, err := io.ReadAll(io.LimitReader(p.In, hook.MaxEvent+1))
	if err != nil {
		return fmt.Errorf("reading the event: %w", err)
	}
	if len(data) > hook.MaxEvent {
		p.SayError("sayso", fmt.Errorf("the event has more than %d MiB, so nobody is asked; Claude Code continues as if there were no hook", hook.MaxEvent>>20))
		_, err := p.Out.Write(claude.Agent().Info().Nothing)
		return err
	}
	e, err := claude.Agent().Parse(data)
	if err != nil {
		return err
	}
	if places, err := localhub.PlacesOf(p.Getenv); err == nil {
		o.Notes = filepath.Join(places.Runtime, "hooks")
	}
	o.Unattended = claude.Unattended(p.Getenv("CLAUDE_CODE_ENTRYPOINT"))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if out, ok := p.Out.(*os.File); ok {
		defer whenDeaf(out, cancel)()
	}
	reply, err := p.takeEvent(ctx, o, e)
	if ctx.Err() != nil {
		return ctx.Err() // nobody reads what would be said
	}
	if err != nil {
		p.SayError("sayso", explain(err))
	}
	_, err = p.Out.Write(reply)
	return err
}

// takeEvent returns a reply in any case; an error says why it says nothing.
func (p *program) takeEvent(ctx context.Context, o *hook.Options, e hook.Event) ([]byte, error) {
	if reply, local, err := hook.Local(claude.Agent().Info(), e, o); local {
		return reply, err
	}
	connecting, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	c, err := p.connectAs(connecting, claude.Surface)
	if err != nil {
		return claude.Agent().Info().Nothing, errors.Join(err, hook.Unreached(e, o))
	}
	defer c.Close()
	return hook.New(claude.Agent(), c, o).Take(ctx, e)
}

// workplace says what people call a folder: the repository that it is in, and the
// branch.
func workplace(dir string) (workspace, branch string) {
	if !filepath.IsAbs(dir) {
		return "", ""
	}
	top, branch := repository(dir)
	if top == "" {
		top = dir
	}
	return filepath.Base(top), branch
}
