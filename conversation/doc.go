// Package conversation is the state machine of an agent's conversation that can
// wait for its user: for days, without a process, and across restarts.
//
// It is one pure function, [Transition]. A host makes a conversation with [New],
// feeds it what happens, and carries out what it says, in order:
//
//	next, effects, err := conversation.Transition(state, event)
//	if rejected := (*conversation.RejectedError)(nil); errors.As(err, &rejected) {
//		continue // stale or out of place; the state is as it was
//	}
//	for _, effect := range effects {
//		// Save{…}: write next and the entries, if the revision before was one less
//		// RequestModel{…}, ExecuteTool{…}, AskUser{…}: begin, and feed the result back
//	}
//
// The host runs tools, and with them intercepts two: a call of the asking tool is
// answered with the event [AskPending] in place of [ToolFinished], and one that
// starts sub-agents with [SubAgentsSpawned]. Each sub-agent is a conversation of
// its own.
//
// What the package guarantees:
//
//   - Transition is total: every state takes every event, and answers with a
//     transition, with no change, or with a [*RejectedError]. The tables in
//     docs/reference/state-machine.md are made from it.
//   - It is pure: no clock, no randomness, no I/O, and neither argument is changed.
//   - Saving comes first. A transition that changes anything begins with one [Save];
//     what lets the world see it comes after.
//   - Every effect can be repeated, and has a key by which to do it once. After a
//     crash the event [Resumed] repeats what may not have been carried out: no tool
//     runs twice whose result was saved, no question is asked twice that has an
//     outcome.
//   - Events can be repeated too. What the conversation has seen changes nothing;
//     another outcome for an ask that has one is rejected.
//   - Every tool call gets exactly one result before the model is asked again,
//     also when the turn was cancelled.
//   - States, events and effects have a versioned JSON form.
package conversation
