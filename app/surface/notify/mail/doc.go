// Package mail sends mail that a question waits, with a link to it. Nobody can answer by
// mail: who it is from proves nothing.
//
// In most cases: [New], and contacts whose address [NewAddress] made.
//
// What the package guarantees:
//
//   - Nothing goes to another machine in clear: without TLS there is no mail.
//   - Text of an asker cannot add a header, a recipient or a second message.
//   - A mail that the server has taken is not sent again.
//   - All mail about one note is one thread.
package mail
