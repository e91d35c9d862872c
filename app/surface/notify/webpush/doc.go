// Package webpush sends notifications to browsers, on a phone too: Web Push with the
// standard library alone.
//
// Most programs need [SharedKey] and [New]. A page subscribes with [Channel.PublicKey],
// and [Channel.Address] makes the address of a contact of what the browser returns.
//
// What the package guarantees:
//
//   - Only the browser that subscribed can read a message (RFC 8291), and its length
//     says little: it is a multiple of 256 bytes.
//   - It sends to the push services of browsers, and to the hosts that the operator
//     allows; an address that names anything else is refused, and never dialed.
//   - A message has at most 500 bytes unless the person wants the question in it.
//   - A notification is withdrawn under the name under which it was shown, also while
//     it is on its way.
package webpush
