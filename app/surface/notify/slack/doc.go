// Package slack notifies people by direct messages of a Slack app, and takes their
// answers there. It uses Socket Mode: the hub connects to Slack, and no port is open.
//
// Make a [Channel] with [New] and give it to the notifier. [Check] says beforehand
// whether Slack takes the two tokens.
//
// What an asker wrote reaches Slack only as plain_text objects without emoji: nothing
// in it is a mention, a link or formatting. The line that lock screens show is the
// note's title and body, escaped. Buttons carry what the notifier put there and nothing
// else. Tokens and the address of the connection appear in no error and no log.
//
// # No press is lost, and none counts twice
//
// Slack wants every envelope acknowledged within three seconds. Most programs
// acknowledge first and work afterwards, so a crash in between loses the press, and the
// person has been told that all is well. Here it is the other way round:
//
//   - An envelope is acknowledged when the desk has taken it, and never before. The desk
//     takes milliseconds. If it fails, or the process dies, the envelope stays
//     unacknowledged: Slack sends it again, or shows the person a warning beside the
//     button, and they press again.
//   - What comes again is the same for the desk as what came first, in another process
//     too. In this process it is not even shown to the desk, by the id of the envelope.
//   - The envelopes of one person are taken in the order in which they came, so that an
//     answer and its undo never change places.
//
// The form for own words is opened before the acknowledgement, because its trigger is
// good for three seconds. When the desk refuses what was typed, the form stays open with
// the reason and the text.
package slack
