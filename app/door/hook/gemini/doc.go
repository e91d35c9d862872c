// Package gemini is the hooks of Gemini CLI: they carry the questions of its ask_user
// tool to the hub, and the answers back. Package hook does the work; here are the
// events and the replies.
//
//   - BeforeTool waits in place of Gemini CLI's own dialog, which opens when it says
//     nothing. A question that was answered is told as the reason why the tool did not
//     run: Gemini CLI takes no results from hooks.
//   - AfterTool tells the hub what was answered in that dialog, and that a tool ran.
//   - Notification says that a dialog for permission opens. A hook cannot allow it, so
//     the inbox only says that it is there.
//   - BeforeAgent hands over what was answered after its call had ended.
//   - SessionEnd ends what the inbox says of the session.
package gemini
