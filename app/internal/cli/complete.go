package cli

import (
	"context"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// complete returns the completion of a first argument by what the hub has. It
// starts no hub. If the hub does not answer within a second, it offers nothing.
func (p *program) complete(list func(context.Context, *client.Client) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if len(args) > 0 || p.configure(cmd.Flags()) != nil {
			return nil, none
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), time.Second)
		defer cancel()
		c, err := p.peek()
		if err != nil {
			return nil, none
		}
		defer c.Close()
		ids, err := list(ctx, c)
		if err != nil {
			return nil, none
		}
		return ids, none
	}
}

// openIDs are the asks that wait.
func openIDs(ctx context.Context, c *client.Client) (ids []string, err error) {
	tickets, err := collect(ctx, c, &hub.Filter{})
	for _, t := range tickets {
		ids = append(ids, described(t))
	}
	return ids, err
}

// answeredIDs are the last questions that were answered.
func answeredIDs(ctx context.Context, c *client.Client) (ids []string, err error) {
	page, err := c.List(ctx, &hub.Filter{Status: sayso.StatusAnswered})
	if err != nil {
		return nil, err
	}
	for _, t := range page.Tickets {
		ids = append(ids, described(t))
	}
	return ids, nil
}

// closedIDs are the last questions that were closed.
func closedIDs(ctx context.Context, c *client.Client) (ids []string, err error) {
	found, err := c.Search(ctx, &hub.Search{View: hub.ViewClosed, Kind: sayso.AskQuestions})
	if err != nil {
		return nil, err
	}
	for _, i := range found.Items {
		ids = append(ids, described(i.Ticket))
	}
	return ids, nil
}

// described is the id of an ask with what it is about, as shells show it.
func described(t *hub.Ticket) string {
	return cobra.CompletionWithDesc(t.Ask.ID, shorten(sayso.Meta(t.Ask), 50))
}

// sessionIDs are the sessions of the person.
func sessionIDs(ctx context.Context, c *client.Client) (ids []string, err error) {
	all, err := c.Sessions(ctx)
	for _, n := range all {
		ids = append(ids, cobra.CompletionWithDesc(n.ID, n.Device))
	}
	return ids, err
}

// peek returns a client of the hub as it is: it starts nothing and does not try
// again.
func (p *program) peek() (*client.Client, error) {
	key, err := p.key()
	if err != nil {
		return nil, err
	}
	opts := &client.Options{Key: key, Patience: -1}
	address := p.hub
	if address == "" {
		s, err := p.starter()
		if err != nil {
			return nil, err
		}
		address = s.Places.Socket()
		opts.Dial = func(ctx context.Context) (net.Conn, error) { return s.Attach(ctx) }
	}
	return client.New(address, opts)
}
