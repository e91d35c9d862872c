package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
	"github.com/saysohq/sayso/app/door/hook/codex"
	"github.com/saysohq/sayso/app/door/hook/gemini"
	"github.com/saysohq/sayso/app/door/hook/qwen"
)

// acpEnv says to hooks and to MCP servers that the agent runs behind "sayso acp".
const acpEnv = "SAYSO_ACP"

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

	most    time.Duration // the longest that the agent waits; default: as long as the hook does
	noNotes bool          // its requests for permission do not come by hooks

	// folder is the variable with the folder that the session was started in.
	// Default: the folder of the event is taken for it.
	folder string
}

// waitFlag is for an agent that opens its own dialog after the hook.
func waitFlag(title string, usual time.Duration) func(*pflag.FlagSet, *hook.Options) {
	return func(f *pflag.FlagSet, o *hook.Options) {
		o.Wait = usual
		f.Var(console.Positive(&o.Wait), "wait", "how long to wait for an answer before "+title+" opens its own dialog")
	}
}

// geminiWait is how long Gemini CLI's dialog stays closed: it has no limit of its own.
const geminiWait = 5 * time.Minute

// hookAgents are the agents that have hooks, in the order of the help.
var hookAgents = []hookAgent{
	{
		name: "claude", title: "Claude Code", agent: claude.Agent(), folder: "CLAUDE_PROJECT_DIR",
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
		unattended: unattendedClaude,
	},
	{
		name: "codex", title: "Codex CLI", agent: codex.Agent(), noNotes: true,
		long: `Run as a hook of Codex CLI: read an event as JSON from standard input and print what
Codex does next. "sayso setup codex" writes the settings.

With your next prompt, Codex is told what you answered after its question had ended.
In "codex exec" a question of Codex waits for your answer. At a terminal, the hub
brings Codex's questions and permission prompts to your inbox without a hook.

If the hub cannot be reached, Codex continues as if there were no hook.`,
		flags: func(f *pflag.FlagSet, o *hook.Options) {
			f.Var(console.Positive(&o.Wait), "wait", "in codex exec: longest time to wait (default: as long as Codex does)")
		},
	},
	{
		name: "gemini", title: "Gemini CLI", agent: gemini.Agent(),
		long: `Run as a hook of Gemini CLI: read an event as JSON from standard input and print
what Gemini CLI does next. "sayso setup gemini" writes the settings.

A question waits in your inbox first. If you do not answer there in time, Gemini CLI
opens its own dialog. A hook cannot allow a tool: when Gemini CLI asks for permission,
your inbox says that it waits at its terminal.

If the hub cannot be reached, Gemini CLI continues as if there were no hook.`,
		flags: waitFlag("Gemini CLI", geminiWait),
	},
	{
		name: "qwen", title: "Qwen Code", agent: qwen.Agent(), most: qwen.MaxWait,
		long: `Run as a hook of Qwen Code: read an event as JSON from standard input and print
what Qwen Code does next. "sayso setup qwen" writes the settings.

A question, or what Qwen Code needs permission for, waits in your inbox first. If you
do not answer there in time, Qwen Code opens its own dialog. It waits at most a minute
for a hook, so longer times than 50 seconds have no effect.

If the hub cannot be reached, Qwen Code continues as if there were no hook.`,
		flags: waitFlag("Qwen Code", qwen.MaxWait),
	},
}

// unattendedClaude reports whether "claude -p" started this program.
func unattendedClaude(getenv func(string) string) bool {
	return claude.Unattended(getenv("CLAUDE_CODE_ENTRYPOINT"))
}
