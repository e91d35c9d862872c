package cli

import (
	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
)

func (p *program) root() *cobra.Command {
	var r request
	demo := false
	root := &cobra.Command{
		Use:   "sayso-agent [flags] [@FILE] [MESSAGE…]",
		Short: "An agent that asks its person, and waits as long as it takes",
		Long: `sayso-agent is an agent that asks its person. It may be stopped while it waits,
and goes on with the answer when it is run again.

At a terminal it talks to you. With -p it does what the message says, prints what
it has to say, and ends; if it has questions, it leaves them in a file and tells how
to answer. "sayso-agent serve" is a server for conversations, "sayso-agent rpc"
speaks to a program on its standard streams.

Exit codes: 0 done, 1 fault, 2 wrong usage, 75 questions wait, 130 interrupted.`,
		Version: console.Version(),
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.args = args
			if demo {
				return p.demo(cmd.Context())
			}
			if r.prints() || !console.IsTerminal(p.In) || !console.IsTerminal(p.Out) {
				return p.printMode(cmd.Context(), &r)
			}
			return p.interactive(cmd.Context(), &r)
		},
	}
	p.Attach(root)
	f := root.Flags()
	f.BoolVarP(&r.print, "print", "p", false, "do what the message says, print the result and end")
	f.BoolVarP(&r.goOn, "continue", "c", false, "go on with the last conversation, or the one whose questions were answered in a file")
	f.StringVar(&r.answers, "answers", "", `the answers to the questions that wait, in order: '["PostgreSQL", "orders"]'`)
	f.BoolVar(&demo, "demo", false, "answer a scripted model's three questions; needs no API key and no settings")
	all := root.PersistentFlags()
	all.StringVar(&p.conversation, "conversation", "", "the conversation to go on with (default: the last)")
	all.StringVar(&p.config, "config", "", "file of settings (default: agent.json in the folder of sayso's settings)")
	all.StringVar(&p.state, "state", "", "folder that conversations are kept in (default: one for each workspace)")
	all.StringVar(&p.hub, "hub", "", "where questions wait: a URL, the path of a socket, or \"none\" for this program only (default: your own hub, as in \"sayso inbox\")")
	all.StringVar(&p.model.provider, "provider", "", "anthropic, openai or openai-compatible")
	all.StringVar(&p.model.name, "model", "", "the name of the model")
	all.StringVar(&p.model.baseURL, "base-url", "", "the address of the provider, or of what is compatible with it")
	all.BoolVar(&p.json, "json", false, "print the result as one JSON object")
	root.AddCommand(p.serveCommand(), p.rpcCommand(), p.sessionsCommand(), p.questionsCommand(), p.branchCommand(), p.compactCommand(), p.purgeCommand())
	return root
}
