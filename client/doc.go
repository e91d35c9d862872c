// Package client is the hub over HTTP for Go programs: askers ask and wait
// through it, surfaces watch and answer.
//
// Most programs use the client as the resolver of their tool:
//
//	hub, err := client.New("https://hub.example", &client.Options{Key: key})
//	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: hub}
//
// A program that asks without a tool uses the client as a [hub.Asker]. A surface
// uses [Client.Inbox], which is a [hub.Inbox]. Both behave like those of a hub in
// the same process.
//
// What the package guarantees:
//
//   - Ask waits for as long as its context lasts, across lost connections and
//     restarts of the hub, and returns the one outcome. It tells the hub that it
//     has it (see [hub.Hub.Consume]) before it returns.
//   - A context that ends leaves the ask open: the same ask made again, by this
//     or another process, finds the answer. If it ends because another resolver
//     was faster, the ask is closed with that answer.
//   - Requests are idempotent. If a reply is lost, the client sends the request
//     again until it knows the result or the timeout ends.
//   - Watch misses no change, or says with a Reset that it may have.
package client
