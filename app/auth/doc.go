// Package auth says who is at the other end of a request: which tenant, which
// role, whose name, and how sure we are of it.
//
// Most programs combine [Keys], the keys in the store of a hub, with [Peers], which knows the
// callers of a Unix socket by their user id, through [First]. The doors that take
// requests ask an [Authenticator] for the [Principal] and compare its role with
// the rule of the route. Before that, [Pages] tells what a foreign web page could
// have made a browser send. People in browsers are signed in with [Sessions], which
// are kept in the store of a hub.
//
// What the package guarantees:
//
//   - A key has one role, a tenant and an end. A key that asks cannot answer, and
//     a key that administers can do neither.
//   - Of a key only the SHA-256 is kept. The key itself is shown once, when it is
//     made.
//   - A key holds in every process over the store as soon as it is made. A revoked
//     one is refused within a second in every process that reaches the store, and
//     what is still under way on its behalf ends.
//   - A session that ended, by its person, by its time or with its process, is
//     refused from then on, and what is under way on its behalf ends: at once in
//     the process that ended it, within a second in others.
//   - The assurance of a principal is what the credential proves and no more: a
//     program that runs as the same user can be any caller of a Unix socket.
package auth
