// The plugin: forwards questions, requests for permission and prompts to "sayso bridge
// opencode", and its requests to opencode's own API. Whatever fails, opencode works as
// before.
export default {
  id: "sayso",
  server: async ({ client, directory }) => {
    const http = client?._client
    if (!http?.request || process.env.SAYSO_ACP) return {} // behind "sayso acp" its requests get there
    const sayso = link(words, async (method, p) => {
      if (method !== "http") throw new Error("unknown method " + method)
      const r = await http.request({
        method: p.method, url: p.path, body: p.body,
        headers: p.body === undefined ? {} : { "content-type": "application/json" },
      })
      return { status: r.response?.status ?? 0, body: r.data ?? r.error ?? null }
    })
    const from = (more) => ({ directory, command: process.argv[2] ?? "", ...more })
    return {
      event: async ({ event }) => {
        if (/^((question|permission)\.(asked|replied|rejected)|session\.(idle|deleted))$/.test(event.type)) sayso.notify("event", from({ event }))
      },
      "chat.message": async (input, output) => {
        let limit
        const late = await Promise.race([
          sayso.call("prompt", from({ session: input.sessionID })).catch(() => null),
          new Promise((resolve) => { limit = setTimeout(resolve, 8000, null) }),
        ])
        clearTimeout(limit)
        if (!late?.text) return
        const last = output.parts.at(-1)?.id ?? "prt"
        output.parts.push({ id: last + "_sayso", sessionID: input.sessionID, messageID: output.message.id, type: "text", synthetic: true, text: late.text })
      },
    }
  },
}
