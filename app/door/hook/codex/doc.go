// Package codex is the hooks of Codex: they hand over late answers with the next
// prompt, and carry the questions of "codex exec", where nobody sits at a terminal, to
// the hub. Package hook does the work; here are the events and the replies.
//
//   - UserPromptSubmit hands over what was answered after its call had ended.
//   - PreToolUse, in "codex exec" only, waits for the answer to request_user_input.
//     Codex would answer it by itself with nothing, so the call is refused with the
//     answer.
//
// At a terminal, package door/codex races with Codex's own dialogs, and PreToolUse says
// nothing: Codex opens no dialog while a hook waits.
package codex
