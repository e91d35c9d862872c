// Package qwen is the hooks of Qwen Code: they carry the questions of its
// ask_user_question tool, and what needs permission, to the hub, and the answers back.
// Package hook does the work; here are the events and the replies.
//
//   - PermissionRequest waits in place of Qwen Code's own dialog, which opens when it
//     says nothing. A question that was answered is told as the reason why the tool did
//     not run: Qwen Code takes no answers from hooks.
//   - PostToolUse and PostToolUseFailure tell the hub what was answered in that dialog,
//     or that a tool was allowed there.
//   - Notification says that such a dialog is open.
//   - UserPromptSubmit hands over what was answered after its call had ended.
//
// Qwen Code 0.24.4 waits 60 seconds for hooks, whatever their timeout is, and does not
// end them then: [MaxWait] is shorter.
package qwen
