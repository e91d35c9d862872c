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
		Short:   "List and end your sessions of the web inbox",
		Long: `List and end your sessions of the web inbox.

Every browser in which you signed in is a session. It ends when you sign out,
when it was not used for 12 hours, after 30 days, or with "sayso sessions end". A
session of the inbox on this machine also ends with the hub that served it.

  sayso sessions
  sayso sessions end n7qk2v5xjd3ta
  sayso sessions end --all`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.sessions(cmd.Context()) },
	}
	cmd.AddCommand(p.sessionsEnd())
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
			return false, fmt.Errorf("connecting to the hub: %w", err)
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
		p.Say("no hub runs on this machine, so nobody is signed in; sign in with: sayso web")
		return nil
	case len(all) == 0:
		p.Say("nobody is signed in; sign in with: sayso web")
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
		Long: `Sign a browser out. Its next request is refused, and its open pages say so;
what was typed there stays there.

  sayso sessions end n7qk2v5xjd3ta
  sayso sessions end --all`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.complete(sessionIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return console.Usage("name one session, or use --all; they are listed by: sayso sessions")
			}
			return p.endSessions(cmd.Context(), args)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "end all of them")
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
		return fmt.Errorf("no session with id %q; sessions are listed by: sayso sessions", ids[0])
	case p.json:
		return p.PrintJSON(map[string]int{"ended": ended})
	}
	p.Say("%d ended", ended)
	return nil
}
