// Package notify tells people that questions wait for them, where they are: on the
// desktop, on the phone, in a chat.
//
// A [Channel] shows a [Note] at a [Contact], and a [Replier] also brings back what
// people do there. Everything else is in the [Notifier]: whom to tell, when, on which
// device, what to show, and when to take it away again. Channels know none of that.
//
// What the package guarantees, over any store that passes hubtest and any channels
// that do what they say:
//
//   - An ask that stays open is told to its person, after a restart and after a
//     failure of one device too. Presence and quiet hours delay that and never
//     cancel it.
//   - What was told is written down before it is sent. No round of a note is sent
//     to a device twice, by whatever node, unless the device shows the second one in
//     place of the first.
//   - A note is withdrawn within seconds of the answer, wherever that was given.
//   - A note shows no more than its contact's [Detail] allows, and no text of the
//     asker that was not made safe.
//   - A reply counts only if it comes from the contact that was shown the note, and
//     only for the text that was shown there.
package notify
