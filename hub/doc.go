// Package hub stores asks until somebody answers: agents submit them, people
// answer on any surface, and each gets exactly one answer.
//
// Most programs need a [Hub] on a [Store]. [NewMemory] serves one process with
// several surfaces. The product's store on NATS JetStream serves many processes
// and machines, and its asks survive all of them. An agent's host uses
// [Hub.Resolver] or [Hub.Asker], a surface uses [Hub.Inbox].
//
// What the package guarantees, over any store that passes package hubtest:
//
//   - An ask that Submit returned is stored; the same ask submitted again is the
//     same ticket.
//   - The first Close wins. The same close again is a success ("replayed");
//     another one is a [*ClosedError] that names the winner, and comes only when
//     the winner can be read.
//   - Wait is a read of what is stored, never of a message in flight: an answer
//     given before, during or after the call is not missed.
//   - A deadline is data. It is checked whenever a ticket is read, and it never
//     makes an answer that the asker did not declare.
//   - An answer that arrives too late is kept, and marked as late.
package hub
