package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/app/door/opencode"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/wake"
)

func (p *program) bridgeOpencodeCommand() *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use:   "opencode",
		Short: "Connect opencode",
		Long: `Connect opencode to the hub. The plugin that "sayso setup opencode" installs starts
this command, and speaks with it over standard input and output.

With --server, connect an opencode that has an address and no plugin, until you stop it
or the server ends: "opencode serve", or "opencode --port 4096". If the server wants a
password, it is read from OPENCODE_SERVER_PASSWORD.`,
		Example: "  sayso bridge opencode --server http://127.0.0.1:4096",
		Args:    console.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.bridgeOpencode(cmd.Context(), server) },
	}
	cmd.Flags().StringVar(&server, "server", "", "address of an opencode server (default: the plugin that started this command)")
	return cmd
}

func (p *program) bridgeOpencode(ctx context.Context, server string) error {
	c, err := p.connectAs(ctx, opencode.Surface)
	if err != nil {
		return err
	}
	defer c.Close()
	o := &bridge.Options{Host: opencode.Surface, Place: workplace, Log: slog.New(slog.NewTextHandler(p.Err, nil))}
	if server == "" {
		with := &opencode.Options{Options: *o}
		if places, err := localhub.PlacesOf(p.Getenv); err == nil && p.hub == "" {
			with.Notes, with.Process = places.Sessions(), wake.Above(os.Getpid())
		}
		return opencode.Serve(ctx, c, p.In, p.Out, with)
	}
	s := &opencode.Server{URL: server, Username: p.Getenv("OPENCODE_SERVER_USERNAME"), Password: p.Getenv("OPENCODE_SERVER_PASSWORD")}
	err = opencode.Attach(ctx, c, s, o)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, opencode.ErrAddress):
		return console.Usage("--server %q is not the address of a server", server).Next("Use one like http://127.0.0.1:4096.")
	}
	return err
}
