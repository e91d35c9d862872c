// Package hook carries the questions of agents to a hub by their hooks: the commands
// or requests that an agent makes when something happens in it.
//
// A [Door] takes the events of one caller; [Handler] serves it over HTTP, and
// "sayso hook" over standard input and output. An [Agent] says how the events of
// one agent are read, what they mean, and how the agent is told what came of them.
// Package hook/claude is the one of Claude Code; another agent is another package
// beside it, and nothing else. Some agents show their own dialog while a hook waits,
// others open it when the hook has said nothing: see [Info].Blocks.
//
// What an event means:
//
//   - [Asking]: a tool call with a question. With a person at the terminal it is
//     stored and the agent goes on to show its own dialog. Without one the event
//     waits, and the answer is handed over.
//   - [Showing]: the agent shows its own dialog; the first answer wins.
//   - [Answered]: the hub is told what was answered in that dialog.
//   - [Permitting]: a tool call needs permission. It waits in the inbox beside the
//     agent's own dialog; what is allowed must still be what was shown.
//   - [Called], [Ran]: a tool call begins and ends, so that a request for permission
//     has its name, and is closed when it was allowed in the agent's own dialog.
//   - [Noticing]: the agent opens a dialog that can be answered there only. The inbox
//     says so until the call has ended.
//   - [Prompted]: the session goes on. What was answered after its call had ended is
//     handed over, and what nobody answered is withdrawn.
//
// What the package guarantees:
//
//   - Whatever goes wrong, the door abstains: the agent goes on as if there were no
//     hook. It never blocks a call because the hub is away.
//   - A connection that ends, or a signal, is no answer: the question stays open. A
//     request for permission is withdrawn, as it was for that call only.
//   - Without an explicit decision nothing is allowed, and a decision is used once.
//   - The hub is told that an outcome is handed over before it is, and an outcome
//     that was handed over to one call is given to no other.
package hook
