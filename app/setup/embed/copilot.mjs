// The extension: forwards the forms, plans, requests for permission and prompts of Copilot to
// "sayso bridge copilot", and hands its replies over. Whatever fails, Copilot works as
// before, with its own dialogs.
import { joinSession } from "@github/copilot-sdk/extension"

let session
const sayso = link(words, (method, p) => {
  if (method === "elicitation") return session.rpc.ui.handlePendingElicitation(p)
  if (method === "permission") return session.rpc.permissions.handlePendingPermissionRequest(p)
  if (method === "plan") return session.rpc.ui.handlePendingExitPlanMode({ requestId: p.requestId, response: p.result })
  throw new Error("unknown method " + method)
})
const from = (more) => ({ session: session?.sessionId ?? process.env.SESSION_ID ?? "", dir: process.cwd(), ...more })

async function onUserPromptSubmitted() {
  let limit
  const late = await Promise.race([
    sayso.call("prompt", from()).catch(() => null),
    new Promise((resolve) => { limit = setTimeout(resolve, 8000, null) }),
  ])
  clearTimeout(limit)
  if (late?.text) return { additionalContext: late.text }
}

try {
  // Copilot asks the person whether it may. Its own dialog opens all the same, and the
  // reply comes through the event.
  session = await joinSession({ onPermissionRequest: () => ({ kind: "no-result" }), hooks: { onUserPromptSubmitted } })
} catch {
  session = await joinSession({}) // they said no: questions only
}
session.on((e) => {
  if (/^(elicitation|permission|exit_plan_mode)\.(requested|completed)$/.test(e.type)) sayso.notify("event", from({ type: e.type, data: e.data }))
})
