// Package pendingfile asks in two passes, without a terminal and without a hub:
// the questions are written to a file, the program ends, and the answers are read
// back by a later one.
//
// A host makes a [Dir] of its workspace and uses it as its [sayso.Resolver]. The
// first call leaves the ask in the file and returns StatusPending with
// how to wait for the answer; the same call made again, when the answers are
// there, returns them. How to answer is told to the person alone
// ([Pending.Instructions]). A command line uses [Dir.Read] and one of the three ways to
// answer:
//
//   - [Pending.FromFile]: the person has edited the file. An answer is a string, or
//     a list of strings, each a label or own words; null and blank are no answer.
//   - [Pending.FromList]: the same values as one JSON list, in the order of the
//     questions, from a flag.
//   - [Pending.FromWords]: a sentence about all of it. It becomes the outcome's
//     Reply, word for word, for the asking model to understand; it is never
//     matched to questions here.
//
// The file shows everything that there is to know before answering: who asks, the
// body, and for each option its description, preview and marks.
//
// Nothing is guessed: a text that names no option is the person's own words.
//
// The first ask of a workspace is in .sayso/pending-questions.json. While that
// name is taken, by another ask or by anything else, an ask is in a file of its
// own beside it, .sayso/pending-questions-ID.json. An ask that is written again
// stays as it is, with the answers it has.
//
// What the package guarantees:
//
//   - A file holds what was there before or all of what is new, whenever the
//     program or the machine stops, and all of it once Write or Close has returned.
//   - Files have mode 0600 in a folder of mode 0700, and belong to the user. No
//     link is followed, in either direction: a symbolic link, a file with a second
//     name, another owner, or one that others may write is [ErrUnsafe].
//   - What others wrote in the file reaches a screen as printable text.
//   - Processes that write at the same time take turns, where the system can lock
//     a folder (not on Windows, and not on every network file system). Elsewhere
//     the last one may win; torn files are impossible there too.
//   - A secret is not asked this way, nor an ask that is to somebody by name or
//     wants to be sure of the person: such an ask is [sayso.ErrUnreachable] here.
//
// A program that runs as the user can write an answer, as it can do all that the
// user can.
package pendingfile
