package cli

import (
	"context"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/app/door/copilot"
	"github.com/saysohq/sayso/app/door/pi"
	"github.com/saysohq/sayso/hub"
)

// bridged is an agent that "sayso bridge" connects.
type bridged struct {
	name, title string

	// serve speaks with the agent, or with the plugin that started this program, until
	// one of them ends.
	serve func(ctx context.Context, h hub.Asker, in io.Reader, out io.Writer, o *bridge.Options) error
}

// bridges are the agents whose plugins and extensions start "sayso bridge".
var bridges = []bridged{
	{name: "copilot", title: "Copilot CLI", serve: copilot.Serve},
	{name: "pi", title: "pi", serve: pi.Serve},
}

func (p *program) bridgeCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupConnect,
		Use:     "bridge",
		Short:   "Connect a running agent to the hub",
		Long: `Connect a running agent to the hub: its questions and its requests for permission
are in your inbox while it shows its own dialog, and the first answer wins. Plugins
and extensions that "sayso setup" installs start this command; you do not need to.`,
		Example: "  sayso bridge opencode",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noAgent("bridge", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, b := range bridges {
		console.Add(cmd, &cobra.Command{
			Use:   b.name,
			Short: "Connect " + b.title,
			Long: "Connect " + b.title + ". The plugin that \"sayso setup " + b.name + "\" installs starts this command, and\n" +
				"speaks with it over standard input and output: JSON-RPC, one message a line.",
			Example: "  sayso bridge " + b.name,
			Args:    console.NoArgs,
			RunE:    func(cmd *cobra.Command, _ []string) error { return p.bridge(cmd.Context(), &b) },
		})
	}
	console.Add(cmd, p.bridgeCodexCommand())
	console.Add(cmd, p.bridgeOpencodeCommand())
	return cmd
}

func (p *program) bridge(ctx context.Context, b *bridged) error {
	c, err := p.connectAs(ctx, b.name)
	if err != nil {
		return err
	}
	defer c.Close()
	return b.serve(ctx, c, p.In, p.Out, &bridge.Options{Host: b.name, Place: workplace, Log: slog.New(slog.NewTextHandler(p.Err, nil))})
}
