// Package claude is the hooks of Claude Code: they carry the questions of its
// AskUserQuestion tool, and what needs permission, to the hub, and the answers back.
// Package hook does the work; here are the events, the replies and the settings file.
//
//   - PreToolUse stores the ask: it alone names the tool call. With a person at
//     the terminal it answers {} at once. Without one, as in claude -p, it waits
//     and hands the answers over as the tool's input, or defers the call, to be
//     taken up again with claude -p --resume. It allows the tools of our MCP server,
//     and tells which sub-agent asks by them. Of other tools it notes the call.
//   - PermissionRequest waits while Claude Code shows its own dialog: the first
//     answer wins.
//   - PostToolUse and PostToolUseFailure tell the hub what was answered at the
//     terminal, or that a tool was allowed there.
//   - UserPromptSubmit hands over what was answered after its call had ended, and
//     withdraws what nobody answered: the session has gone on.
package claude
