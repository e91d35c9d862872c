// Package copilot carries the questions of Copilot CLI, and what it needs permission
// for, to a hub, while Copilot shows its own dialogs.
//
// [Serve] speaks with the extension that "sayso setup copilot" installs. The extension
// forwards Copilot's events as they are, and hands replies over; what they mean is here,
// and package bridge has the race between the two.
//
// What the package guarantees, beside what package bridge does:
//
//   - A change of files is shown as Copilot told it, and allowed only while the files are
//     as they were shown.
//   - Only what Copilot says a person chose in its dialog counts as that. A form that was
//     dismissed there, or closed by Copilot itself, is withdrawn.
//   - Nobody is asked for permission to be asked: the tools of sayso are left alone, and
//     so is what an extension wants to be trusted with.
package copilot
