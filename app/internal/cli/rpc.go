package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/jsonrpc"
	"github.com/saysohq/sayso/dialect"
)

func (p *program) rpcCommand() *cobra.Command {
	var framing, attach, speaks, conversation string
	var agents []string
	cmd := &cobra.Command{
		GroupID: groupConnect,
		Use:     "rpc",
		Short:   "Speak JSON-RPC to a program",
		Long: `Speak JSON-RPC 2.0 to a program, on standard input and output.

An agent asks with ask_user, client/ask_user or ask_user_request. A user interface
sends ui/attach (or uses --attach) and then gets every open question. The method
rpc/methods describes all methods.

A question stays open if the program ends. The same request finds its answer later.`,
		Example: `  $ echo '{"jsonrpc":"2.0","id":1,"method":"rpc/methods"}' | sayso rpc
  $ sayso rpc --attach client/ask_user < /dev/null`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := &jsonrpc.Options{Framing: jsonrpc.Framing(framing), Attach: jsonrpc.Method(attach), Origin: p.origin()}
			if conversation != "" {
				opts.Origin.Conversation = conversation
			}
			opts.Origin.Agents = agents
			if speaks != "" {
				var ok bool
				if opts.Dialect, ok = dialect.ByName(speaks); !ok {
					return unknownDialect(speaks)
				}
			}
			return p.rpc(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	framing = string(jsonrpc.Lines)
	f.Var(console.OneOf(&framing, "", string(jsonrpc.Lines), string(jsonrpc.Headers)), "framing", "one message a line, or with a Content-Length header")
	f.Var(console.OneOf(&attach, "", string(jsonrpc.ClientAskUser), string(jsonrpc.AskUserRequest)), "attach", "be a user interface, and get questions by this method")
	f.StringVar(&speaks, "dialect", "", "`format` of ask_user requests that name none (default: detected)")
	f.StringVar(&conversation, "conversation", "", "`name` of the conversation of requests that name none (default: one for this folder)")
	f.StringArrayVar(&agents, "agent", nil, "`name` of the agent that asks, top agent first")
	cmd.RegisterFlagCompletionFunc("dialect", completeDialects)
	return cmd
}

func (p *program) rpc(ctx context.Context, opts *jsonrpc.Options) error {
	c, err := p.connectAs(ctx, "rpc")
	if err != nil {
		return err
	}
	defer c.Close()
	return jsonrpc.Serve(ctx, c, p.In, open{p.Out}, opts)
}

// open is a writer that others may close, which the streams of the process are not.
type open struct{ io.Writer }

func (open) Close() error { return nil }
