// Package jsonrpc serves programs that speak JSON-RPC 2.0 on a stream: an agent
// that asks, and a user interface that answers.
//
// Most programs need [Serve], which "sayso rpc" runs on standard input and output. The
// other side asks with ask_user (in any dialect), client/ask_user or
// ask_user_request. It becomes a surface with ui/attach: then it is sent
// what waits in the hub, as client/ask_user or ask_user_request, and told when
// somebody else was faster. One program may do both. rpc/methods describes every
// method. A Go host whose user interface is at the end of a stream takes [NewUI],
// which is a [sayso.Resolver].
//
// What the package guarantees:
//
//   - An ask outlives the connection. When the other side goes away, what it asked
//     stays open, and the same request made again finds the answer.
//   - A user interface that goes away has not answered: a host is told
//     {"answered":false,"connectionLost":true} by the pi dialect, and what it
//     showed stays open in the hub.
//   - A user interface that shows what it is sent shows everything that the answer
//     is bound to, and who asks as the hub knows it apart from what the asker claims.
//   - What it answers is stored as it was sent, and told as accepted once it is. A
//     dangerous choice counts after a second one that names it.
//   - A dialog is withdrawn once another surface has closed its ask, and is told by
//     whom, where and with what.
//   - Every message passes the gate for untrusted JSON, and none may be longer than
//     1 MiB. Any number of questions may wait at a time.
//   - No explicit answer, no decision: an error, an empty answer and a lost
//     connection are never worded as one.
package jsonrpc
