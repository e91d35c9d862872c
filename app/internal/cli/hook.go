package cli

import (
	"cmp"
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
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/wake"
)

// hookCommand is for agents. To some of them the exit code 2 of a hook means that the
// call is refused, so here even wrong usage is a mere fault.
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
	for _, h := range hookAgents {
		console.Add(cmd, p.hookAgentCommand(h))
	}
	return cmd
}

func asFault(err error) error {
	if err == nil {
		return nil
	}
	return &console.ExitError{Code: console.ExitFault, Err: err}
}

func (p *program) hookAgentCommand(h hookAgent) *cobra.Command {
	o := &hook.Options{Place: workplace, Read: claudecall.ReadFile}
	cmd := &cobra.Command{
		Use:     h.name,
		Short:   "Run as a hook of " + h.title,
		Long:    h.long,
		Example: "  sayso hook " + h.name + " < event.json",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return asFault(p.hook(cmd.Context(), h, o)) },
	}
	if h.flags != nil {
		h.flags(cmd.Flags(), o)
	}
	return cmd
}

func (p *program) hook(ctx context.Context, h hookAgent, o *hook.Options) error {
	data, err := io.ReadAll(io.LimitReader(p.In, hook.MaxEvent+1))
	if err != nil {
		return fmt.Errorf("reading the event: %w", err)
	}
	if len(data) > hook.MaxEvent {
		p.SayError("sayso", fmt.Errorf("the event has more than %d MiB, so nobody is asked; %s continues as if there were no hook", hook.MaxEvent>>20, h.title))
		_, err := p.Out.Write(h.agent.Info().Nothing)
		return err
	}
	if p.Getenv(acpEnv) != "" { // the agent asks the editor, and "sayso acp" takes that to the hub
		_, err := p.Out.Write(h.agent.Info().Nothing)
		return err
	}
	e, err := h.agent.Parse(data)
	if err != nil {
		return err
	}
	if places, err := localhub.PlacesOf(p.Getenv); err == nil {
		if !h.noNotes {
			o.Notes = filepath.Join(places.Runtime, "hooks")
		}
		o.Sessions = &hook.Sessions{Notes: places.Sessions(), Agent: h.name, Process: wake.Above(os.Getpid())}
		if h.folder != "" {
			o.Sessions.Dir = p.Getenv(h.folder)
		}
	}
	if u, ok := e.(interface{ Unattended() bool }); ok {
		o.Unattended = u.Unattended()
	}
	if h.unattended != nil {
		o.Unattended = h.unattended(p.Getenv)
	}
	if h.most > 0 {
		o.Wait = min(o.Wait, h.most)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if out, ok := p.Out.(*os.File); ok {
		defer whenReaderGone(out, cancel)()
	}
	reply, err := p.takeEvent(ctx, h.agent, o, e)
	if ctx.Err() != nil || errors.Is(err, errUnread) {
		return cmp.Or(ctx.Err(), err) // nobody reads what would be said
	}
	if err != nil {
		p.SayError("sayso", explain(err))
	}
	_, err = p.Out.Write(reply)
	return err
}

// takeEvent returns a reply in any case; an error says why it says nothing.
func (p *program) takeEvent(ctx context.Context, a hook.Agent, o *hook.Options, e hook.Event) ([]byte, error) {
	info := a.Info()
	if reply, local, err := hook.Local(info, e, o); local {
		return reply, err
	}
	began := time.Now()
	connecting, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	c, err := p.connectAs(connecting, info.Name)
	if err != nil {
		return info.Nothing, errors.Join(err, hook.Unreached(e, o))
	}
	defer c.Close()
	if info.Blocks && o.Wait > 0 { // the agent's own patience has begun before
		o.Wait = max(o.Wait-time.Since(began), time.Second)
	}
	return hook.New(a, attended(c, p.Out), o).Take(ctx, e)
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
