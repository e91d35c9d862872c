// Package claudecall is what Claude Code wants to do and needs permission for: its
// tool calls as approvals, and the decisions as it takes them. Its hooks, and the
// tool of --permission-prompt-tool, send the same calls and take the same decisions,
// so both are read and written here.
//
// A [Call] knows the tools of Claude Code by name. [Call.Approval] shows everything
// that would run; changes of files are diffs if the files can be read.
// [Call.Decide] spells a decision.
package claudecall
