// Package codex carries the questions of Codex, and what it needs permission for, to
// a hub, over the socket that Codex serves for the programs on its machine.
//
// [Run] does it until its context ends: it waits for the socket, connects, and
// connects again. In most cases the hub of the person runs it; "sayso bridge codex"
// does for a hub elsewhere.
//
// Codex tells every program on the socket when a session waits for something. Then the
// package joins that session, is sent what waits, and leaves the session when its turn
// ends. Codex shows its own dialog meanwhile: package bridge has the race.
//
// What the package guarantees, beside what package bridge does:
//
//   - A change of files is shown as Codex told it. If Codex did not tell it, the
//     request can only be denied.
//   - What Codex answers by itself, when its own dialog has waited for long enough, is
//     not a person's answer: the question stays open.
//   - Nobody is asked for permission to be asked: the tools of sayso are left alone.
package codex
