// Package httpapi is the hub over HTTP: askers ask and wait, surfaces watch and
// answer, in any language.
//
// Most programs need [New], which makes a handler of a hub, and
// [Server.HTTPServer], which gives it the timeouts that a public server needs.
// docs/reference/http-api.md describes the wire, [OpenAPI] is its description for programs.
//
// What the package guarantees:
//
//   - Every route but the two of health wants a credential, on every method. A
//     route without a rule about who may use it keeps the server from being built.
//   - Who answers is the credential's person, whatever the request says.
//   - A request that was acted upon may be sent again: it has one effect.
//   - An event stream tells every change once, or says that it cannot and begins
//     anew with everything that waits.
//   - What people are asked and what they say is in no log, metric or error that
//     others read.
package httpapi
