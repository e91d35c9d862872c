// Package claude is the hooks of Claude Code: they carry the question of its
// AskUserQuestion tool to the hub, and the answer back. Package hook does the work;
// here are the events, the replies and the settings file.
//
//   - PreToolUse stores the ask: it alone names the tool call. With a person at
//     the terminal it answers {} at once. Without one, as in claude -p, it waits
//     and hands the answers over as the tool's input, or defers the call, to be
//     taken up again with claude -p --resume. Of a sub-agent that asks by our MCP
//     tool it tells the name.
//   - PermissionRequest waits while Claude Code shows its own dialog: the first
//     answer wins.
//   - PostToolUse tells the hub what was answered at the terminal.
//   - UserPromptSubmit hands over what was answered after its call had ended, and
//     withdraws what nobody answered: the session has gone on.
package claude
