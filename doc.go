// Package sayso is the ask_user tool: an agent stops, asks the person it works
// for one or more questions, and goes on with that person's say-so.
//
// A host needs two things, a [Dialect] (how its model spells the tool; see
// package dialect) and a [Resolver] (who gets the question answered), and puts
// them into a [Tool]:
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
//   - Questions and options are known by id. Texts, headers, labels and indexes
//     identify things only at a dialect's edge.
//   - Text from an asker is hostile: [Normalize] makes it safe to show, and keeps
//     the asker's own bytes for the echo.
//   - The package has no clock, no randomness, no environment, no global state,
//     and imports the standard library only.
package sayso
