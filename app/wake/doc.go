// Package wake resumes the session of an agent that has ended when the answer to its
// question arrives: it runs the command that the person configured for that agent.
//
// A door that asks for an agent on this machine leaves a note of the ask ([Notes]):
// which agent and session it is, in which folder, and which process. The hub starts a
// [Waker], which compares every answer with the notes.
//
// It guarantees:
//
//   - The command, its words and the folders it may run in come from the person's own
//     settings ([Config]). Of the note, only the id of the session gets into the command,
//     as a word of its own, if it has nothing but letters, digits, "-" and "_".
//   - What an asker says never matters. Without a note on this machine, nothing runs.
//   - At most one run for each ask, whatever is killed when: the run is recorded before
//     it begins, by compare-and-set.
//   - A session whose process lives, or that is being resumed, is left alone. So are
//     approvals, and answers that were undone or that the agent has.
package wake
