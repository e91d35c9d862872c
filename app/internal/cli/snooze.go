package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// snoozeGiven is what the flags of snooze say.
type snoozeGiven struct {
	length    time.Duration
	until     string
	back, end bool
}

func (p *program) snoozeCommand() *cobra.Command {
	var g snoozeGiven
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "snooze ID",
		Short:   "Leave a question for later",
		Long: `Leave a question for later. Until then it is not among those that wait for you, and
you get no notification of it. Without a flag, it comes back in an hour.

The question stays open, and other people see it as before. It also comes back ten
minutes before its deadline.`,
		Example: `  $ sayso snooze ask_7f3
  $ sayso snooze ask_7f3 --until tomorrow
  $ sayso snooze ask_7f3 --back`,
		Args:              needsQuestion,
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.snooze(cmd.Context(), args[0], &g)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&g.length, "for", 0, "how long (`duration`), for example 30m or 4h (default 1h)")
	f.StringVar(&g.until, "until", "", "when it comes back (`time`): tomorrow, monday (at 8:00), 17:30 or 2026-11-20T08:00")
	f.BoolVar(&g.back, "back", false, "until you are back: you do something after 30 minutes without")
	f.BoolVar(&g.end, "end", false, "show it again now")
	return cmd
}

func (p *program) snooze(ctx context.Context, name string, g *snoozeGiven) error {
	return p.withAsk(ctx, name, func(c *client.Client, t *hub.Ticket) error {
		desk := c.Inbox().(hub.Desk)
		zone := time.Local
		if prefs, err := desk.Preferences(ctx); err == nil && prefs.Zone != "" {
			if z, err := time.LoadLocation(prefs.Zone); err == nil {
				zone = z
			}
		}
		s, err := g.snooze(t.Ask.ID, time.Now().In(zone))
		if err != nil {
			return err
		}
		if err := desk.Snooze(ctx, t, s); err != nil {
			return refusal(err, "snooze", t)
		}
		switch {
		case p.json:
			return p.PrintJSON(viewOf(t))
		case s == nil:
			p.Say("Question %s waits for you again.", t.Ask.ID)
		case s.Back:
			p.Say("Left for later, until you are back. Show it again: sayso snooze %s --end", t.Ask.ID)
		default:
			p.Say("Left for later, until %s. Show it again: sayso snooze %s --end", s.Until.Format("Mon 2006-01-02 15:04"), t.Ask.ID)
		}
		return nil
	})
}

// snooze says until when, with a clock in the zone of the person.
func (g *snoozeGiven) snooze(id string, now time.Time) (*hub.Snooze, error) {
	given := 0
	for _, set := range []bool{g.length != 0, g.until != "", g.back, g.end} {
		if set {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, console.Usage("snooze takes one of --for, --until, --back and --end").Next("Example: sayso snooze %s --for 1h", id)
	case g.end:
		return nil, nil
	case g.back:
		return &hub.Snooze{Back: true}, nil
	case g.until != "":
		until, ok := timeAhead(g.until, now)
		if !ok {
			return nil, console.Usage("cannot snooze until %q", g.until).Next("Use tomorrow, monday, 17:30 or 2026-11-20T08:00: sayso snooze %s --until tomorrow", id)
		}
		return &hub.Snooze{Until: until}, nil
	case g.length < 0:
		return nil, console.Usage("cannot snooze for %s", g.length).Next("Example: sayso snooze %s --for 1h", id)
	}
	if g.length == 0 {
		g.length = time.Hour
	}
	return &hub.Snooze{Until: now.Add(g.length).Round(0)}, nil
}
