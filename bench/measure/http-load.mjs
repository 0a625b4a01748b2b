// Callers that each send the next request when the last one is answered, over raw sockets: the load itself must cost little.
import { connect } from "node:net"
import { now } from "./wait.mjs"

/** Requests answered with `status` per second; any other answer is an error. */
export async function loadHttp({ url, callers, n, requestOf, status }) {
  const { hostname, port } = new URL(url)
  let sent = 0
  const startedAt = now()
  await Promise.all(
    Array.from({ length: callers }, async () => {
      const caller = await openCaller(hostname, port)
      while (sent < n) await caller.ask(requestOf(sent++), status)
      caller.close()
    }),
  )
  return { n, ms: now() - startedAt }
}

/** A POST as it goes over the wire. */
export function postRequest({ host, path, headers, body }) {
  const all = { host, "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`
}

async function openCaller(hostname, port) {
  const socket = connect({ host: hostname, port, noDelay: true })
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  let received = ""
  let waiting
  const fail = (error) => waiting?.reject(error)
  socket.setEncoding("latin1").on("data", (chunk) => {
    received += chunk
    const answer = readAnswer(received)
    if (!answer) return
    received = received.slice(answer.length)
    const { resolve, reject, status } = waiting
    if (answer.status === status) resolve()
    else reject(new Error(`answered ${answer.status}: ${answer.body}`))
  })
  socket.on("error", fail).on("close", () => fail(new Error("the connection was closed")))
  return {
    ask(request, status) {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject, status }
        socket.write(request)
      })
    },
    close: () => socket.destroy(),
  }
}

function readAnswer(text) {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const size = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0)
  const length = end + 4 + size
  if (text.length < length) return undefined
  return { status: Number(text.slice(9, 12)), body: text.slice(end + 4, length), length }
}
