// Package sayso lets an agent ask the person it works for one or more questions
// and continue with the answer.
//
// Most hosts need a [Tool]. It combines a [Dialect], the format in which the
// host's model calls the tool (see package dialect), with a [Resolver], which gets
// the questions answered:
//
//	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: myTerminal}
//	result, err := tool.Call(ctx, sayso.Call{ID: id, Arguments: args})
//
// What the package guarantees:
//
//   - No explicit answer, no decision. Empty, expired, declined, cancelled and
//     unreachable are statuses of their own; no dialect words them as answered.
//   - A refusal is an [Outcome], breakage is an error, a mistake of the model is
//     a [Result] with IsError. They never stand in for one another.
//   - Questions and options are identified by id. Only dialects identify them by
//     text, header, label or index.
//   - Text from an asker is hostile: [Normalize] makes it safe to show, and keeps
//     the asker's own bytes for the reply.
//   - The package has no clock, no randomness, no environment, no global state,
//     and imports the standard library only.
package sayso
