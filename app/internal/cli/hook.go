package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
)

// hookCommand is for agents. To Claude Code the exit code 2 of a hook means that
// the call is refused, so here even wrong usage is a mere fault.
func (p *program) hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupConnect,
		Use:     "hook",
		Short:   "Answer a hook of an agent; agents run this",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return asFault(fmt.Errorf("there are no hooks of %q; there are those of claude", args[0]))
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return asFault(p.configure(cmd.Flags())) },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return asFault(err) })
	cmd.AddCommand(p.hookClaudeCommand())
	return cmd
}

func asFault(err error) error {
	if err == nil {
		return nil
	}
	return &console.ExitError{Code: console.ExitFault, Err: err}
}

func (p *program) hookClaudeCommand() *cobra.Command {
	o := &hook.Options{Place: workplace}
	cmd := &cobra.Command{
		Use:   "claude",
		Short: "Carry a question of Claude Code to the hub, and the answer back",
		Long: `Carry a question of Claude Code to the hub, and the answer back.

Claude Code runs this as a command hook, with the event as JSON on standard input,
and reads what to do from standard output. "sayso setup claude" writes the settings.

With somebody at the terminal, Claude Code shows its own dialog while the question
waits at the hub, and the first answer wins. In "claude -p" the call waits for the
hub; there the tool needs --permission-prompt-tool stdio.

If the hub cannot be reached, Claude Code goes on as if there were no hook.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return asFault(p.hookClaude(cmd.Context(), o)) },
	}
	f := cmd.Flags()
	f.DurationVar(&o.Wait, "wait", 0, "in claude -p: wait at most this long (default: as long as Claude Code does; with --defer: not at all)")
	f.BoolVar(&o.Defer, "defer", false, "in claude -p: a question without an answer ends the run; claude -p --resume takes it up again")
	return cmd
}

func (p *program) hookClaude(ctx context.Context, o *hook.Options) error {
	data, err := io.ReadAll(io.LimitReader(p.In, hook.MaxEvent+1))
	if err != nil {
		return fmt.Errorf("reading the event: %w", err)
	}
	e, err := claude.Agent().Parse(data)
	if err != nil {
		return err
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
		p.Say("sayso: %s", err)
	}
	_, err = p.Out.Write(reply)
	return err
}

// takeEvent returns a reply in any case; an error says why it says nothing.
func (p *program) takeEvent(ctx context.Context, o *hook.Options, e hook.Event) ([]byte, error) {
	connecting, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	c, err := p.connectAs(connecting, claude.Surface)
	if err != nil {
		return claude.Agent().Info().Nothing, err
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
