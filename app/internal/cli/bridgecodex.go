package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/codex"
)

func (p *program) bridgeCodexCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "codex",
		Short: "Connect Codex",
		Long: `Connect the Codex of this machine to the hub, until you stop it: the questions of
Codex in a terminal, and its requests for permission, are in your inbox.

Your own hub does this by itself. Run this command if your hub is on another machine,
or if the setting connect-codex is "never".`,
		Example: "  sayso bridge codex --hub https://hub.example",
		Args:    console.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.bridgeCodex(cmd.Context()) },
	}
}

func (p *program) bridgeCodex(ctx context.Context) error {
	home := codex.Home(p.Getenv)
	if home == "" {
		return console.Fault("nothing says where the folder of Codex is").Next("Set HOME, or CODEX_HOME.")
	}
	c, err := p.connectAs(ctx, codex.Host)
	if err != nil {
		return err
	}
	defer c.Close()
	p.Say("waiting for Codex at %s", codex.Socket(home))
	err = codex.Run(ctx, c, &codex.Options{Home: home, Place: workplace, Log: slog.New(slog.NewTextHandler(p.Err, nil))})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
