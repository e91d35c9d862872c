// Package tty makes a terminal ring, or show a notification of its own: with the bell,
// or with the sequence that this kind of terminal understands.
//
// A person adds a terminal with [Here], which finds out what kind it is; the [Channel]
// writes to it from then on. A program that has the terminal itself, as the inbox has,
// writes what [Address.Alert] returns.
//
// What the package guarantees:
//
//   - Text cannot end a sequence, or begin another one.
//   - It writes only to a terminal of the same user, and never waits for one that has
//     been stopped.
//   - Only one kind of sequence is written: a terminal that does not know one may show
//     it as text, or do something else.
//   - It never touches the title of the window.
package tty
