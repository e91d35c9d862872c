package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
)

func (p *program) root() *cobra.Command {
	var r request
	demo := false
	root := &cobra.Command{
		Use:   "sayso-agent [flags] [@FILE] [MESSAGE…]",
		Short: "Run an agent that asks you questions",
		Long: `Run an agent that asks you questions. You can stop it while it waits: run it again,
and it continues with your answer.

At a terminal it talks to you. With -p it works on the message, prints the result and
exits. If it has questions, it writes them to a file and prints how to answer.

Exit codes: 0 done, 1 failed, 2 wrong usage, 75 open questions, 130 interrupted.`,
		Example: `  $ sayso-agent --demo
  $ sayso-agent --provider anthropic --model claude-sonnet-4-5
  $ sayso-agent -p "Set up a service"`,
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
	f.BoolVarP(&r.print, "print", "p", false, "work on the message, print the result and exit")
	f.BoolVarP(&r.goOn, "continue", "c", false, "continue the last conversation, or the one with answers in a file")
	f.StringVar(&r.answers, "answers", "", "answers to the open questions as a JSON `list`, in order")
	f.BoolVar(&demo, "demo", false, "answer a scripted model's three questions, without an API key")
	all := root.PersistentFlags()
	all.StringVar(&p.conversation, "conversation", "", "`id` of the conversation to continue (default: the last)")
	all.StringVar(&p.config, "config", "", "settings `file` (default: agent.json in sayso's settings folder)")
	all.StringVar(&p.state, "state", "", "`folder` of the conversations (default: one for each repository or folder)")
	all.StringVar(&p.hub, "hub", "", "hub for the questions: a `URL`, the path of a socket, or none (default: your own hub)")
	all.StringVar(&p.model.provider, "provider", "", "`name` of the provider: anthropic, openai or openai-compatible")
	all.StringVar(&p.model.name, "model", "", "`name` of the model")
	all.StringVar(&p.model.baseURL, "base-url", "", "`URL` of the provider, or of a compatible one")
	all.BoolVar(&p.json, "json", false, "print the result as JSON")
	console.Add(root, p.serveCommand(), p.rpcCommand(), p.sessionsCommand(), p.questionsCommand(), p.branchCommand(), p.compactCommand(), p.purgeCommand())
	help := p.HelpCommand(root, console.Topic{Name: "exit-codes", Short: "exit codes", Text: exitCodes()})
	root.SetHelpCommand(help)
	return root
}

// exitCodes lists the codes that this program ends with.
func exitCodes() string {
	var lines []string
	for _, row := range console.ExitCodes() {
		switch row[0] {
		case "3", "4", "5": // of one question, which here ends no run
		default:
			lines = append(lines, fmt.Sprintf("  %-4s %s", row[0], row[1]))
		}
	}
	return strings.Join(lines, "\n")
}
