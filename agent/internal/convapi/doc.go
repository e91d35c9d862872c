// Package convapi serves conversations over HTTP (seed 3): start one, say something,
// follow what happens, answer, cancel.
//
// New makes a handler of a host. The API of a hub in the same process
// ([httpapi.Server]) goes below it: it answers what waits, by conversation
// (POST /conversations/{id}/respond) or by ask (/v1/asks).
//
// What the package guarantees:
//
//   - Every request needs the credential, on every path.
//   - A request that changes something has been saved when it is answered, and may
//     be sent again if it carries an id.
//   - A stream of events tells every entry of the transcript once and in order, and
//     goes on behind the last one that was seen. Only what the model says while it
//     says it (delta) is not repeated.
package convapi
