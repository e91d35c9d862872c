// Package approvaltest kills the hub, hooks, agents and the people who answer while
// approvals are decided, and compares what ran with what was allowed and recorded. It
// has tests only.
//
// The hub, its command line and the hooks are the real program. The agent is played: it
// runs the hooks of Claude Code as Claude Code does (see agent_test.go), and its tool
// writes the id of its call into a file.
package approvaltest
