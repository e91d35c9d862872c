// The extension: forwards calls of ask_user, tools that need permission, and prompts to
// "sayso bridge pi", and its dialogs to pi. Without sayso, ask_user fails, and a tool that
// needs permission is blocked.
export default function (pi) {
  const calls = new Map() // those that wait: how to show a dialog for them, and how to close it
  let ending = false

  const sayso = link(words, async (method, p) => {
    const c = calls.get(p?.call)
    if (method === "close") return c?.closing.abort()
    if (method !== "dialog") throw new Error("unknown method " + method)
    if (!c || c.closing.signal.aborted) throw new Error("the call has ended")
    const o = { signal: c.closing.signal }
    const value = p.kind === "input" ? await c.ui.input(p.title, "", o) : await c.ui.select(p.title, p.options, o)
    if (ending || c.closing.signal.aborted) throw new Error("the dialog was closed")
    return { value: value ?? null }
  })

  // waits forwards a call that may take days, until pi no longer wants to know.
  async function waits(method, params, call, signal, ctx) {
    const p = { session: ctx.sessionManager.getSessionId(), call, dir: ctx.cwd, ui: ctx.hasUI, ...params }
    const closing = new AbortController()
    const gone = () => { closing.abort(); sayso.notify("drop", { session: p.session, call }) }
    calls.set(call, { ui: ctx.ui, closing })
    signal?.addEventListener("abort", gone)
    try { return await sayso.call(method, p) } finally {
      signal?.removeEventListener("abort", gone)
      calls.delete(call); closing.abort()
    }
  }

  pi.registerTool({
    ...tool,
    async execute(id, params, signal, _update, ctx) {
      const r = await waits("ask", { arguments: params }, id, signal, ctx)
      if (r.isError) throw new Error(r.text)
      return { content: [{ type: "text", text: r.text }], details: r.details }
    },
  })

  if (permissions) pi.on("tool_call", async (event, ctx) => {
    if (reads.includes(event.toolName)) return
    const r = await waits("permit", { tool: event.toolName, input: event.input }, event.toolCallId, ctx.signal, ctx)
    if (r.stop) ctx.abort()
    if (r.block) return { block: true, reason: r.reason }
    if (!r.input) return
    for (const name of Object.keys(event.input)) delete event.input[name]
    Object.assign(event.input, r.input)
  })

  pi.on("before_agent_start", async (_event, ctx) => {
    const r = await sayso.call("late", { session: ctx.sessionManager.getSessionId() }).catch(() => null)
    if (r?.text) return { message: { customType: "sayso", content: r.text, display: true } }
  })

  pi.on("session_start", () => { ending = false })
  pi.on("session_shutdown", () => { ending = true; sayso.end() })
}
