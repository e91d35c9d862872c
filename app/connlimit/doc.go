// Package connlimit bounds the connections that a server holds, so that whoever
// opens many of them takes file descriptors from nobody but themselves.
//
// Make one [Guard] for all TCP listeners of a process. Wrap each of them with
// [Guard.Listen], set ConnContext and ConnState of the http.Server to those of the
// guard, and call [Credential] with the context of every request that showed a
// credential which holds. Wrap the owner's Unix socket with [Guard.Owner].
//
// A connection counts as one with a credential while its last request had one.
// There are few places for the others. A new connection is always accepted, and
// where that is one too many the guard closes another one: of the address that
// holds the most, the one whose last request ended longest ago, or which never
// sent a whole request. A connection with a credential has a place of its own and
// never gives it to one without. Among those, one that is idle goes before one that
// waits for a response.
//
// The guard never holds more connections than its [Limits], not even for a moment
// longer than it takes to close one. It logs what it closed, at most once a minute.
package connlimit
