// Package client is the hub over HTTP for Go programs: askers ask and wait
// through it, surfaces watch and answer.
//
// A host adopts a hub with one line, as its resolver:
//
//	hub, err := client.New("https://hub.example", &client.Options{Key: key})
//	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: hub}
//
// A program that asks without a tool takes the client as a [hub.Asker], and a
// surface takes [Client.Inbox], which is a [hub.Inbox]: both as of a hub in the
// same process.
//
// What the package guarantees:
//
//   - Ask waits for as long as its context lasts, across lost connections and
//     restarts of the hub, and returns the one outcome. It tells the hub that it
//     has it (see [hub.Hub.Consume]) before it returns.
//   - A context that ends leaves the ask open: the same ask made again, by this
//     or another process, finds the answer. If it ends because another resolver
//     was faster, the ask is closed with that answer.
//   - Every request may have been acted upon although its reply was lost, so it
//     is one that may be made twice; it is made again until it is known what
//     became of it, or the patience ends.
//   - Watch misses no change, or says with a Reset that it may have.
package client
