// Callers that each send the next request when the last one is answered, over raw sockets: the load itself must cost little.
import { connect } from "node:net"
import { now } from "./wait.mjs"

/** Requests answered with `status` per second; any other answer is an error. */
export async function loadHttp({ url, callers, n, requestOf, status }) {
  let sent = 0
  const startedAt = now()
  await withCallers(url, callers, async (caller) => {
    while (sent < n) expectStatus(await caller.ask(requestOf(sent++)), [status])
  })
  return { n, ms: now() - startedAt }
}

/** One connection each; `work` is given the caller and its number. */
export async function withCallers(url, callers, work) {
  await Promise.all(
    Array.from({ length: callers }, async (_, number) => {
      const caller = await openCaller(url)
      await work(caller, number)
      caller.close()
    }),
  )
}

export function expectStatus({ status, body }, expected) {
  if (!expected.includes(status)) throw new Error(`answered ${status}: ${body}`)
}

/** A GET as it goes over the wire. */
export const getRequest = ({ host, path }) => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`

/** A POST as it goes over the wire. */
export function postRequest({ host, path, headers, body }) {
  const all = { host, "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`
}

/** One connection, one request at a time. */
export async function openCaller(url) {
  const { hostname, port } = new URL(url)
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
    waiting.resolve(answer)
  })
  socket.on("error", fail).on("close", () => fail(new Error("the connection was closed")))
  return {
    /** Resolves with status and body. */
    ask(request) {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
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
