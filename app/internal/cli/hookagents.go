package cli

import (
	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
)

// hookAgent is an agent that has hooks.
type hookAgent struct {
	name  string // of the command
	title string
	long  string
	agent hook.Agent

	// flags adds the flags of the command. Default: it has none.
	flags func(*pflag.FlagSet, *hook.Options)

	// unattended reports whether nobody sits at the agent's terminal. Default:
	// somebody does.
	unattended func(getenv func(string) string) bool
}

// hookAgents are the agents that have hooks, in the order of the help.
var hookAgents = []hookAgent{
	{
		name: "claude", title: "Claude Code", agent: claude.Agent(),
		long: `Run as a hook of Claude Code: read an event as JSON from standard input and print
what Claude Code does next. "sayso setup claude" writes the settings.

At a terminal, Claude Code shows its own dialog while the question, or what it needs
permission for, is in your inbox, and the first answer wins. In "claude -p" the call
waits for your answer; to ask questions, it needs --permission-prompt-tool stdio.

If the hub cannot be reached, Claude Code continues as if there were no hook.`,
		flags: func(f *pflag.FlagSet, o *hook.Options) {
			f.Var(console.Positive(&o.Wait), "wait", "in claude -p: longest time to wait (default: Claude Code's own; none with --defer)")
			f.BoolVar(&o.Defer, "defer", false, "in claude -p: end the run at an open question; claude -p --resume continues")
		},
		unattended: func(getenv func(string) string) bool {
			return claude.Unattended(getenv("CLAUDE_CODE_ENTRYPOINT"))
		},
	},
}
