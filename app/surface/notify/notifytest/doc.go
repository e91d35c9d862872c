// Package notifytest puts hostile texts through a channel, and checks what a person
// gets to see of them. Every channel runs it:
//
//	notifytest.Run(t, &notifytest.Target{Channel: channel, Contact: contact, Seen: fake.seen, Active: fake.active})
//
// An asker writes into every place of an ask: the question, the labels of its options,
// the names of the agent and its workspace, and so on. Each place has a mark of its
// own, so it can be told what of an ask is seen where. The checks are:
//
//   - No control, bidi or invisible character, and no broken UTF-8.
//   - No markup, link or mention that the asker wrote works. Only the target knows what
//     that would look like: see [Target].Active.
//   - The lock screen shows what the contact's detail allows, and no more. The asker
//     can lower that, and cannot raise it.
//   - Nothing is sent that the note does not say, also not where nobody looks.
//   - What is over is gone, or says how it ended.
//   - What the channel says of its limits is kept.
package notifytest
