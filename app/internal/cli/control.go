package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/hub"
)

func (p *program) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "stop",
		GroupID: groupServer,
		Short:   "Stop your hub",
		Long: `Stop your hub, and return when it has ended. Open questions stay stored. It also
stops a hub that you started with "sayso serve" for the same state folder.

The next command that needs a hub starts one again, and so does an agent that
waits for an answer.`,
		Example: `  $ sayso stop`,
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := p.ownHub("stop")
			if err != nil {
				return err
			}
			info, err := s.Stop(cmd.Context())
			if errors.Is(err, localhub.ErrNotRunning) {
				if p.json {
					return p.PrintJSON(map[string]any{"stopped": false})
				}
				p.Say("No hub is running.")
				return nil
			}
			if err != nil {
				return notStopped(s, err)
			}
			if p.json {
				return p.PrintJSON(map[string]any{"stopped": true, "pid": info.PID, "open": info.Open})
			}
			p.Say("Stopped the hub (pid %d). %s", info.PID, left(info))
			return nil
		},
	}
}

// left says what a stopped hub leaves behind.
func left(info *localhub.Info) string {
	text := "No questions are open."
	switch {
	case info.Open < 0:
		text = "Its storage did not answer; open questions stay there."
	case info.Open > 0:
		text = fmt.Sprintf("%s stored.", plural(info.Open, "open question stays", "open questions stay"))
	}
	if info.Clients > 0 {
		text += fmt.Sprintf("\n%s connected and may start it again.", plural(info.Clients, "program was", "programs were"))
	}
	return text
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (p *program) restartCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "restart",
		GroupID: groupServer,
		Short:   "Restart your hub in the background",
		Long: `Restart your hub in the background, for example after an update or a change of
the settings. Commands that wait for an answer go on waiting. If no hub is running,
one is started.`,
		Example: `  $ sayso restart`,
		Args:    console.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.restart(cmd.Context()) },
	}
}

func (p *program) restart(ctx context.Context) error {
	s, err := p.ownHub("restart")
	if err != nil {
		return err
	}
	before, err := s.Info(ctx)
	switch {
	case errors.Is(err, localhub.ErrNotRunning):
	case err != nil:
		return notStopped(s, err)
	case !before.Background:
		return console.Fault("the hub (pid %d) was started with \"sayso serve\"", before.PID).Next("Restart it where it was started, for example: systemctl restart sayso.")
	default:
		if before, err = s.Stop(ctx); err != nil {
			return notStopped(s, err)
		}
	}
	conn, err := s.Dial(ctx)
	if err != nil {
		return err
	}
	conn.Close()
	now, err := s.Info(ctx)
	if err != nil {
		return err
	}
	if p.json {
		return p.PrintJSON(map[string]any{"restarted": before != nil, "pid": now.PID, "open": now.Open, "version": now.Build.Version})
	}
	verb := "Started"
	if before != nil {
		verb = "Restarted"
	}
	p.Say("%s the hub (pid %d, version %s).", verb, now.PID, shortBuild(now.Build))
	return nil
}

// ownHub returns the starter of the person's own hub, which is what a command is
// about.
func (p *program) ownHub(command string) (*localhub.Starter, error) {
	s, err := p.starter()
	if err != nil {
		return nil, err
	}
	if p.hub != "" && p.hub != s.Places.Socket() {
		return nil, console.Usage("%s is for your own hub, and --hub is %q", command, p.hub).Next("Leave out --hub (or SAYSO_HUB), or run sayso %s where that hub runs.", command)
	}
	return s, nil
}

// notStopped says why a hub goes on.
func notStopped(s *localhub.Starter, err error) error {
	switch {
	case errors.Is(err, localhub.ErrNotYours):
		return console.Fault("the hub on %s belongs to another user", s.Places.Socket()).Next("Set XDG_RUNTIME_DIR and HOME to folders of yours.")
	case errors.Is(err, localhub.ErrOlder):
		return console.Fault("%w", err).Next("End its process; the last \"pid\" in %s is its id.", s.Places.Log())
	}
	return err
}

func (p *program) countCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "count",
		GroupID: groupAnswer,
		Short:   "Print how many questions are open",
		Long: `Print how many questions are open: one number, for a status bar or a prompt.

It starts no hub and does not keep one running. If no hub is running, it prints how
many questions were open when the last one stopped.`,
		Example: `  $ sayso count
  $ sayso count --json`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := p.count(cmd.Context())
			if err != nil {
				return err
			}
			if p.json {
				return p.PrintJSON(map[string]any{"open": n})
			}
			return p.Print(strconv.Itoa(n))
		},
	}
}

func (p *program) count(ctx context.Context) (n int, err error) {
	if p.hub == "" {
		s, err := p.starter()
		if err != nil {
			return 0, err
		}
		return s.Open(ctx)
	}
	c, err := p.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	err = hub.Each(ctx, c, nil, func(*hub.Ticket) bool { n++; return true })
	return n, err
}

// shortBuild names a build in a word or two.
func shortBuild(b console.Build) string {
	text := b.Version
	if b.Commit != "" {
		text += ", commit " + b.Commit[:min(7, len(b.Commit))]
	}
	return text
}

// sameBuild reports whether two programs are built from the same source, as far as
// they know it.
func sameBuild(a, b console.Build) bool { return a.Version == b.Version && a.Commit == b.Commit }

// nameOtherBuild tells a person at a terminal that their hub is of another version
// than this program.
func (p *program) nameOtherBuild(ctx context.Context) {
	if p.own == nil || p.json || !console.IsTerminal(p.Err) || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	info, err := p.own.Info(ctx)
	switch {
	case errors.Is(err, localhub.ErrOlder):
		p.Say("note: your hub is of an older version than this program (%s)\n  Use the new version: sayso restart.", shortBuild(console.ThisBuild()))
	case err == nil && !sameBuild(info.Build, console.ThisBuild()):
		p.Say("note: your hub is version %s, this program is version %s\n  Use the new version: sayso restart.", shortBuild(info.Build), shortBuild(console.ThisBuild()))
	}
}
