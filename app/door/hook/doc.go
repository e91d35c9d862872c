// Package hook is the door of Claude Code: its hooks carry the question of its
// AskUserQuestion tool to the hub, and the answer back.
//
// A [Door] takes the events of one caller; [Handler] serves it over HTTP, and
// "sayso hook claude" over standard input and output. Both speak the same JSON.
//
//   - PreToolUse stores the ask: it alone names the tool call. With a person at
//     the terminal it answers {} at once. Without one, as in claude -p, it waits
//     and hands the answers over as the tool's input, or defers the call.
//     Of a sub-agent that asks by our MCP tool it tells the name.
//   - PermissionRequest waits while Claude Code shows its own dialog: the first
//     answer wins.
//   - PostToolUse tells the hub what was answered at the terminal.
//   - UserPromptSubmit hands over what was answered after its call had ended, and
//     withdraws what nobody answered: the session has gone on.
//
// What the package guarantees:
//
//   - Whatever goes wrong, the door abstains: Claude Code goes on as if there were
//     no hook. It never blocks a call because the hub is away.
//   - A connection that ends, or a signal, is no answer: the ask stays open.
//   - The hub is told that an outcome is handed over before it is, and an outcome
//     that was handed over to one call is given to no other.
package hook
