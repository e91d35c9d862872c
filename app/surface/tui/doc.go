// Package tui is the terminal surface: a dialog in which a person answers an
// ask, and an inbox of everything that waits, on Bubble Tea.
//
// Most programs use a [Resolver], which asks on the terminal of the process even
// when standard input and output are pipes:
//
//	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: tui.NewResolver(nil)}
//
// A host that draws its own screen puts a [Model] into it. A surface of a hub
// uses an [Inbox].
//
// What the package guarantees:
//
//   - Nothing is answered that the person did not choose. Nothing is preselected,
//     the highlight is not the choice, keys typed before the dialog appeared are
//     dropped, Enter alone answers nothing, a key acts on nothing that is out of
//     sight, and an option marked as dangerous takes a second key of its own.
//   - Nothing that the person typed is lost unasked. Drafts outlive the dialog,
//     and an answer given elsewhere.
//   - What the hub verified about the asker stands apart from what it claims.
//   - Text of the asker is shown as data. It never stands in the first three
//     columns, which are the frame's; it is never cut without a mark, and what
//     does not fit must be opened before an answer counts.
//   - Update does no input or output; what has to wait runs in a command.
package tui
