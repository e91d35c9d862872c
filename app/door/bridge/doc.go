// Package bridge carries what an agent asks to a hub over a connection that stays
// open, while the agent shows its own dialog: the first answer wins, and the other
// side closes.
//
// A door makes a [Bridge] with [New], makes asks with [Bridge.Question] and
// [Bridge.Approval], and calls [Bridge.Open] for each request of the agent. It calls
// [Bridge.Settled] when the agent tells that its own dialog has the answer, and
// [Bridge.Dropped] when the agent no longer waits. [Serve] is for a plugin inside the
// agent, which starts "sayso bridge" and speaks JSON-RPC with it, a message a line.
// Packages door/codex, door/opencode, door/copilot and door/pi are such doors.
//
// What the package guarantees:
//
//   - The ask is stored before anything else. It waits for as long as the agent does,
//     also while the hub is away.
//   - The hub is told that an outcome is handed over before it is, so the answer to a
//     request is handed over once.
//   - Without an explicit decision nothing is allowed, and a decision counts for exactly
//     what was shown: if something else would run now, the agent is told to refuse it.
//   - What an agent says by itself is not a person's decision. A door that does not know
//     what was said in the agent's dialog says so, with a nil outcome.
//   - When the connection ends, a request for permission is withdrawn, and a question
//     stays open. Its answer is handed over with the session's next prompt: [Bridge.Late].
package bridge
