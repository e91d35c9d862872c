// Package console is what sayso's command lines share: the streams of a run,
// results and errors on them, exit codes, interrupts.
//
// A program takes a [World], usually [System], and prepares its root command with
// [World.Attach]. It prints results with [World.Print] and [World.PrintJSON],
// speaks to the person with [World.Say], and ends with the exit code that
// [World.Report] returns. A context from [Interruptible] ends with a signal.
// [ConfigFolder] and [StateFolder] say where the person's files are.
//
// What the package guarantees:
//
//   - Standard output has results and nothing else.
//   - No control character of an asker reaches a terminal, whichever stream it is
//     on.
//   - The exit codes are the same in every program, and they do not change.
package console
