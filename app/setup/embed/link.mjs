// The connection to "sayso bridge": JSON-RPC 2.0, one message a line. It is started with
// the first message, and again if it has ended. Without it the agent works as before.
import { spawn } from "node:child_process"

export function link(words, handle) {
  const waiting = new Map()
  let child = null, last = 0, started = 0, rest = ""

  // The agent may end while nothing waits.
  function hold() {
    for (const one of child ? [child, child.stdin, child.stdout] : []) waiting.size ? one.ref?.() : one.unref?.()
  }
  function ended(from) {
    if (from !== child) return
    child = null
    for (const [id, w] of waiting) { waiting.delete(id); w.reject(new Error("sayso bridge has ended")) }
  }
  function start() {
    if (child || Date.now() - started < 5000) return child
    started = Date.now(); rest = ""
    const c = child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    c.on("error", () => ended(c)); c.on("exit", () => ended(c)); c.stdin.on("error", () => ended(c))
    c.stdout.setEncoding("utf8")
    c.stdout.on("data", (text) => {
      rest += text
      for (let at; (at = rest.indexOf("\n")) >= 0; rest = rest.slice(at + 1)) take(rest.slice(0, at))
    })
    return child
  }
  async function take(line) {
    const m = JSON.parse(line)
    if (m.method === undefined) {
      const w = waiting.get(m.id)
      waiting.delete(m.id); hold()
      if (w) m.error ? w.reject(new Error(m.error.message)) : w.resolve(m.result)
      return
    }
    const reply = { jsonrpc: "2.0", id: m.id }
    try { reply.result = (await handle(m.method, m.params)) ?? null } catch (e) { reply.error = { code: -32000, message: String(e?.message ?? e) } }
    if (m.id !== undefined) send(reply)
  }
  function send(m) {
    const c = start()
    if (!c) return false
    c.stdin.write(JSON.stringify(m) + "\n"); hold()
    return true
  }
  return {
    notify: (method, params) => send({ jsonrpc: "2.0", method, params }),
    call: (method, params) => new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve, reject })
      if (!send({ jsonrpc: "2.0", id, method, params })) { waiting.delete(id); reject(new Error("sayso bridge does not run")) }
    }),
    end: () => { const c = child; started = 0; if (c) { ended(c); c.stdin.end() } },
  }
}
