// Package ntfy notifies through an ntfy server: ntfy.sh, or one of your own.
//
// In most cases: [New], and contacts that [Address.Fill] has filled in.
//
// The hub publishes to one topic, which the phone follows. With a second topic people
// can also answer: a button posts the data of the button there, and the hub follows
// that topic. No port of the hub is open to anybody. The second topic must be one that
// everybody may write to and only the hub may read, so that a button needs no password
// to take along: what it posts is hard to guess, and good for one question.
//
// What the package guarantees:
//
//   - A message shows what the note says, as plain text.
//   - A button that answers is shown only with the whole question, and only while the
//     hub follows the topic for answers, or will do so after a restart.
//   - What was posted there is taken to the desk before the hub goes on behind it.
//   - Tokens go to the server of the contact only, and not to phones.
package ntfy
