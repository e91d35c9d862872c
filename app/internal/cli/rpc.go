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
		Short:   "Speak JSON-RPC on standard input and output: for agents that ask, and for user interfaces",
		Long: `Speak JSON-RPC 2.0 on standard input and output.

An agent asks with ask_user, client/ask_user or ask_user_request. A user interface
is asked what waits once it sends ui/attach, or from the start with --attach. The
method rpc/methods describes all of them.

What was asked stays open when the other side goes away: the same request made
again finds the answer.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := &jsonrpc.Options{Framing: jsonrpc.Framing(framing), Attach: jsonrpc.Method(attach), Origin: p.origin()}
			if conversation != "" {
				opts.Origin.Conversation = conversation
			}
			opts.Origin.Agents = agents
			if opts.Framing != jsonrpc.Lines && opts.Framing != jsonrpc.Headers {
				return console.Usage("--framing is %s or %s", jsonrpc.Lines, jsonrpc.Headers)
			}
			if attach != "" && opts.Attach != jsonrpc.ClientAskUser && opts.Attach != jsonrpc.AskUserRequest {
				return console.Usage("--attach is %s or %s", jsonrpc.ClientAskUser, jsonrpc.AskUserRequest)
			}
			if speaks != "" {
				var ok bool
				if opts.Dialect, ok = dialect.ByName(speaks); !ok {
					return console.Usage("--dialect: %q is none; \"sayso dialects\" lists them", speaks)
				}
			}
			return p.rpc(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&framing, "framing", "lines", "how messages are told apart: lines, or lsp for a Content-Length before each")
	f.StringVar(&attach, "attach", "", "be a surface from the start, asked by this method: client/ask_user or ask_user_request")
	f.StringVar(&speaks, "dialect", "", "the dialect of ask_user requests that name none (default: the one they speak)")
	f.StringVar(&conversation, "conversation", "", "the conversation of requests that name none (default: one for this folder)")
	f.StringArrayVar(&agents, "agent", nil, "who asks, top agent first")
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
