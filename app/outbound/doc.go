// Package outbound is the HTTP client for addresses that people type in: webhooks,
// ntfy servers, push services. Such an address must not lead into the hub's own
// network, where a request from the hub may be trusted.
//
// In most cases: [Client] with nil, or with the operator's list in [Options].Allow.
// [CheckURL] tells a person at once what the client would refuse.
//
// What the package guarantees:
//
//   - A connection goes to a public address only. The address that is really dialled
//     is judged, after the name was looked up: however it is spelled, and whatever the
//     name meant a moment ago.
//   - Without the operator's word it speaks only https.
//   - Redirects are not followed, and proxies of the environment are not used.
//   - A request ends in time, and no answer is longer than its limits.
package outbound
