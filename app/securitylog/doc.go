// Package securitylog keeps the log of what matters to security: what was refused
// and to whom, who signed in, which keys were made and revoked.
//
// Open one [Log] for a process and [Log.Note] what happens. A nil *Log keeps
// nothing, so a program without one needs no other code. Close it at the end.
//
// Note never waits, for no disk and no other caller's line: one goroutine writes,
// and what does not fit into its queue is counted and told later. Of one event and
// source ten lines are written a minute, and then one with the number of those that
// were left out. A line is JSON and has ids only. The fields are a closed list, and
// a value that is no id, address or name of a route is left out, so nothing that a
// client made up gets into the log.
//
// Several processes may append to one file. Each line is one write. A file that has
// reached its size is renamed, and one old file is kept.
package securitylog
