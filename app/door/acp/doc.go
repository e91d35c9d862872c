// Package acp serves agents and editors that speak the Agent Client Protocol.
//
// [Proxy] stands between an editor and its agent; "sayso acp -- agent…" runs it. It
// hands every message on as it is, but for the agent's questions and its requests for
// permission: those are asked in the editor and in the hub at once. The first answer
// wins, the other side is withdrawn, and the person in the editor is told who
// answered. A Go agent takes [Resolver] in place of the proxy.
//
// A question is an elicitation/create with a form, or a session/request_permission
// that says that it is one. An editor that does not take forms is asked with
// permission requests, and the agent is told that forms are
// taken, as the hub takes them.
//
// Any other session/request_permission is an approval ([sayso.Approval]). The editor
// gets it byte for byte. What would run is taken from the request, or from what the
// agent told about the tool call before. If that is not known, the hub can only deny
// it. The agent's options are the offers, and its reply has the id of one of them.
//
// What the package guarantees:
//
//   - What is not a question passes byte for byte, in order; so does a question that
//     the hub could not carry faithfully, such as one for a secret.
//   - The agent gets one reply to each question.
//   - An answer in the editor counts once the hub has it, if the hub can be reached:
//     when two people answer at once, every surface names the same winner.
//   - A request that is made here shows all of the question, and who asks as the hub
//     knows it. What an editor could not show, or may not answer, waits in the hub
//     alone, and the person is told where.
//   - A dangerous choice counts once it was confirmed by name.
//   - A question outlives editor, agent and proxy. What a person says after they
//     have gone reaches the agent at the next prompt of the session, once.
//   - An editor that replies with an error has not answered.
//   - What is allowed in the hub was shown there: a call that has changed since is not
//     allowed. One decision is for one request.
//   - What nobody decides is not allowed. While the hub is away, the editor decides,
//     and the hub is told later. With nobody left to decide, the agent is told no.
//     Nobody can allow what no longer waits.
package acp
