package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupServer,
		Use:     "sessions",
		Short:   "List browser sign-ins, sign one out",
		Long: `List the browsers in which you are signed in to the web inbox.

A session ends when you sign out, after 12 hours without use, after 30 days, or with
"sayso sessions end". A session of the inbox on this machine also ends when its hub
stops.`,
		Example: `  $ sayso sessions
  $ sayso sessions end --all`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.sessions(cmd.Context()) },
	}
	console.Add(cmd, p.sessionsEnd())
	return cmd
}

// withSessions calls do with the hub, if it runs: one that does not has none, and
// is not started to say so.
func (p *program) withSessions(ctx context.Context, do func(*client.Client) error) (running bool, err error) {
	if p.hub == "" {
		s, err := p.starter()
		if err != nil {
			return false, err
		}
		conn, err := s.Attach(ctx)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
			return false, nil
		}
		if err != nil {
			return false, console.Fault("cannot connect to your hub: %s", reason(err)).Next("Check it: sayso doctor.")
		}
		conn.Close()
	}
	c, err := p.connect(ctx)
	if err != nil {
		return false, err
	}
	defer c.Close()
	return true, do(c)
}

func (p *program) sessions(ctx context.Context) error {
	all := []api.Session{}
	running, err := p.withSessions(ctx, func(c *client.Client) error {
		list, err := c.Sessions(ctx)
		all = append(all, list...)
		return err
	})
	switch {
	case err != nil:
		return err
	case p.json:
		return p.PrintJSON(api.SessionList{Sessions: all})
	case !running:
		p.Say("No hub is running, so no browser is signed in. Sign in with: sayso web")
		return nil
	case len(all) == 0:
		p.Say("No browser is signed in. Sign in with: sayso web")
		return nil
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	for _, n := range all {
		fmt.Fprintf(w, "%s\t%s\tsigned in %s\tlast used %s\n", n.ID, n.Device, shortTime(n.Created), shortTime(n.Used))
	}
	return w.Flush()
}

func shortTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func (p *program) sessionsEnd() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "end ID",
		Short: "Sign a browser out",
		Long: `Sign a browser out. The hub refuses its next request, and its open pages say so.
Text that was typed there stays on the page.`,
		Example: `  $ sayso sessions end n7qk2v5xjd3ta
  $ sayso sessions end --all`,
		Args:              console.MaybeArg,
		ValidArgsFunction: p.complete(sessionIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return console.Usage("sessions end needs the id of one session, or --all").Next("Sessions: sayso sessions.")
			}
			return p.endSessions(cmd.Context(), args)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "sign out every browser")
	return cmd
}

// endSessions ends the sessions with these ids; none: all.
func (p *program) endSessions(ctx context.Context, ids []string) error {
	named, ended := len(ids) > 0, 0
	_, err := p.withSessions(ctx, func(c *client.Client) error {
		if !named {
			list, err := c.Sessions(ctx)
			if err != nil {
				return err
			}
			for _, n := range list {
				ids = append(ids, n.ID)
			}
		}
		for _, id := range ids {
			switch err := c.EndSession(ctx, id); {
			case err == nil:
				ended++
			case !errors.Is(err, hub.ErrNotFound):
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case named && ended == 0:
		return console.Fault("no session with id %q", ids[0]).Next("Sessions: sayso sessions.")
	case p.json:
		return p.PrintJSON(map[string]int{"ended": ended})
	}
	p.Say("%d ended", ended)
	return nil
}
