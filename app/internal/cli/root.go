package cli

import (
	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
)

// The groups of commands, in the order of the help screen. Every command below the
// root has one, in its GroupID.
const (
	groupAnswer  = "answer"
	groupConnect = "connect"
	groupAsk     = "ask"
	groupServer  = "server"
	groupHelp    = "help"
)

func groups() []*cobra.Group {
	return []*cobra.Group{
		{ID: groupAnswer, Title: "Answer"},
		{ID: groupConnect, Title: "Connect agents"},
		{ID: groupAsk, Title: "Ask"},
		{ID: groupServer, Title: "Run a server"},
		{ID: groupHelp, Title: "Help"},
	}
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "sayso",
		Short: "Ask a person, and go on with their say-so",
		Long: `sayso lets agents ask their person, and lets people answer.

An agent asks with "sayso ask" and gets the answer on standard output, even if
it, or this machine, was restarted meanwhile. A person sees what waits with
"sayso inbox", or answers one question with "sayso answer".

Exit codes: 0 answered, 1 fault, 2 wrong usage, 3 nobody could be asked now,
4 declined, 5 expired, 75 left for later, 130 interrupted.`,
		Version:           console.Version(),
		Args:              cobra.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.configure(cmd.Flags()) },
	}
	p.Attach(root)
	flags := root.PersistentFlags()
	bind(flags, "hub", &p.hub)
	bind(flags, "key-file", &p.keyFile)
	flags.BoolVar(&p.json, "json", false, "print the result as one JSON object, and errors as JSON on standard error")
	bind(flags, "plain", &p.plain)
	p.dialog = "auto"
	bind(flags, "dialog", &p.dialog)
	root.AddGroup(groups()...)
	root.SetHelpCommandGroupID(groupHelp)
	root.SetCompletionCommandGroupID(groupHelp)
	root.AddCommand(
		p.askCommand(), p.waitCommand(), p.withdrawCommand(),
		p.listCommand(), p.showCommand(), p.answerCommand(), p.declineCommand(), p.undoCommand(), p.historyCommand(), p.countCommand(), p.inboxCommand(), p.webCommand(), p.demoCommand(), p.sessionsCommand(),
		p.questionsCommand(), p.continueCommand(),
		p.mcpCommand(), p.rpcCommand(), p.acpCommand(), p.hookCommand(), p.setupCommand(),
		p.serveCommand(), p.stopCommand(), p.restartCommand(), p.keysCommand(), p.dialectsCommand(), p.doctorCommand(), p.healthCommand(), p.versionCommand(), p.manCommand(root),
	)
	for _, cmd := range everyCommand(root) {
		cmd.Args = console.UsageArgs(cmd.Args)
	}
	return root
}

// everyCommand returns a command and all below it.
func everyCommand(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		all = append(all, everyCommand(c)...)
	}
	return all
}
