// Package stats makes a report of the asks of an inbox: for how long agents were
// blocked, how soon people answered, which questions were asked again and again, and
// which should have been asked differently.
//
// In most cases: [Make] reads an inbox and returns its [Report] for the last 30 days.
// [Lint] looks at a single ask, for authors of agents.
//
// A report has only what its reader may see, since it reads the reader's inbox. It is
// made in one pass, and keeps a few hundred bytes of each ask; of more than a million, the
// rest is left out and [Report.Cut] says so. Names of agents are what agents call
// themselves; those of askers are what the hub knows.
package stats
