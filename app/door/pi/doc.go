// Package pi connects the pi coding agent. pi has neither a question tool nor
// permissions of its own; sayso's extension brings both, and starts "sayso bridge pi",
// which is [Serve].
//
// The extension forwards. It calls ask for a call of the tool ask_user ([dialect.Pi]),
// permit before another tool runs, and late before a prompt. This package shows pi's own
// dialogs through it, beside the inbox, where pi has a user interface: the first answer
// wins, and the other side closes.
//
// What the package guarantees, beside what package bridge does:
//
//   - A tool that needs permission runs only after an explicit decision. Nothing stands
//     behind this one, so whatever goes wrong blocks the tool.
//   - pi's dialog offers to allow only what it shows in full.
//   - A dialog that pi closed by itself is not a person's answer.
package pi
