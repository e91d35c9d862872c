// Package cli is the sayso-agent command: its flags, its settings, and its four
// ways to be used (at a terminal, with -p, as a server, and by a program on its
// standard streams). One file holds one of them.
//
// Main runs a command in a [World], which a test may make. What it guarantees:
//
//   - Standard output has the result and nothing else; what is said to the person
//     goes to standard error.
//   - The exit codes are those of package console, and do not change.
//   - Whatever ends the process, the conversation goes on when it is run again.
package cli
