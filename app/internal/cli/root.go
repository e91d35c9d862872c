package cli

import (
	"slices"

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
		Short: "Answer your agents' questions from one inbox",
		Long:  "Answer your agents' questions from one inbox.",
		Example: `  $ sayso setup claude
  $ sayso ask "Ship it?" -o Yes -o No`,
		Version:           console.Version(),
		Args:              console.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.configure(cmd.Flags()) },
	}
	p.Attach(root)
	flags := root.PersistentFlags()
	bind(flags, "hub", &p.hub)
	bind(flags, "key-file", &p.keyFile)
	flags.BoolVar(&p.json, "json", false, "print results and errors as JSON")
	bind(flags, "plain", &p.plain)
	p.dialog = "auto"
	bind(flags, "dialog", &p.dialog)
	root.AddGroup(groups()...)
	root.SetHelpCommandGroupID(groupHelp)
	root.SetCompletionCommandGroupID(groupHelp)
	console.Add(root,
		p.inboxCommand(), p.webCommand(), p.notifyCommand(), p.listCommand(), p.showCommand(), p.answerCommand(), p.declineCommand(), p.undoCommand(), p.amendCommand(), p.reaskCommand(), p.snoozeCommand(), p.delegateCommand(), p.preferencesCommand(), p.historyCommand(), p.searchCommand(), p.decisionsCommand(), p.approvalsCommand(), p.rulesCommand(), p.countCommand(),
		p.statsCommand(),
		p.setupCommand(), p.mcpCommand(), p.acpCommand(), p.wakeCommand(), p.rpcCommand(),
		p.askCommand(), p.waitCommand(), p.withdrawCommand(),
		p.serveCommand(), p.stopCommand(), p.restartCommand(), p.keysCommand(), p.sessionsCommand(), p.healthCommand(),
		p.backupCommand(), p.restoreCommand(), p.verifyCommand(), p.acceptCommand(), p.auditCommand(), p.clusterCommand(), p.eraseCommand(),
		p.dialectsCommand(),
		p.demoCommand(), p.doctorCommand(), p.versionCommand(),
	)
	offScreen(root, "stats")
	offScreen(root, "amend", "reask", "decisions", "snooze", "delegate", "preferences", "approvals", "rules", "count", "wake", "rpc", "withdraw", "dialects", "restart", "sessions", "health", "backup", "restore", "verify", "accept", "audit", "cluster", "erase")
	agents := []*cobra.Command{p.hookCommand(), p.bridgeCommand(), p.continueCommand(), p.questionsCommand(), p.manCommand(root)}
	console.KeepOffScreen(agents...)
	root.AddCommand(agents...)
	help := p.HelpCommand(root, topics()...)
	help.GroupID = groupHelp
	console.KeepOffScreen(help)
	root.SetHelpCommand(help)
	root.InitDefaultCompletionCmd()
	describeCompletion(root)
	for _, cmd := range everyCommand(root) {
		cmd.Args = console.UsageArgs(cmd.Args)
	}
	return root
}

// offScreen leaves commands out of the first screen, which has less than 40 lines.
func offScreen(root *cobra.Command, names ...string) {
	for _, c := range root.Commands() {
		if slices.Contains(names, c.Name()) {
			console.KeepOffScreen(c)
		}
	}
}

// everyCommand returns a command and all below it that people are shown, in the order
// of the help.
func everyCommand(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range console.Commands(cmd) {
		all = append(all, everyCommand(c)...)
	}
	return all
}

// describeCompletion gives the command that comes with the framework our words.
func describeCompletion(root *cobra.Command) {
	offScreen(root, "completion")
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "Print a shell's completion script"
		cmd.Long = `Print the script that completes commands, flags and the ids of open questions in your
shell. A package that you installed has set it up already.`
		cmd.Example = "  $ sayso completion bash\n  source <(sayso completion bash)"
		for _, shell := range cmd.Commands() {
			name := shell.Name()
			shell.Short = "Print the completion script of " + name
			shell.Long = "Print the completion script of " + name + ". Load it in your shell's startup file."
			shell.Example = "  $ sayso completion " + name
		}
	}
}
