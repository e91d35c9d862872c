// Package webhook tells programs at web addresses that questions wait, as Standard
// Webhooks (https://www.standardwebhooks.com) has it. Programs in any language can use
// that instead of asking the hub again and again.
//
// In most cases: [New], and contacts whose address [NewAddress] made.
//
// What the package guarantees:
//
//   - Every message is signed, and the same message has the same webhook-id however
//     often it is sent: a receiver can drop what it has.
//   - A message has no text of an ask, only where to find it.
//   - Nothing is sent to addresses inside the hub's network, unless its operator allows
//     them: see package outbound.
//   - Only an answer of 2xx counts as delivered.
package webhook
