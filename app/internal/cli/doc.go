// Package cli is the sayso command: its verbs, flags, settings, and the wiring of
// everything below.
//
// [Main] is the whole program; what it touches of the world comes in a [World],
// so that tests run it in their own process.
//
// What every command keeps to:
//
//   - Standard output carries the result and nothing else: text, or one JSON
//     object with --json. People are spoken to on standard error or on the
//     terminal.
//   - No control character of an asker reaches a terminal, whichever stream it
//     stands on.
//   - Every command is a client of a hub: the one that --hub names, or the
//     person's own, which is started where it does not run. Killing a command
//     that asks loses neither the question nor the answer.
package cli
