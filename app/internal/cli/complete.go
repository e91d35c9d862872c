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

// completeIDs offers the asks that wait. It starts no hub, and is quick or
// silent.
func (p *program) completeIDs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
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
	tickets, err := collect(ctx, c, &hub.Filter{})
	if err != nil {
		return nil, none
	}
	var ids []string
	for _, t := range tickets {
		ids = append(ids, cobra.CompletionWithDesc(t.Ask.ID, shorten(sayso.Meta(t.Ask), 50)))
	}
	return ids, none
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
