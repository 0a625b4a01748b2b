// HTTP/1.1 pipelining: all requests at once on one connection, before the first is answered.
import { connect } from "node:net"
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { MOST_CALLS, MOST_GUESSES, wrong } from "../guesses.ts"
import { countOf, tally } from "../wire.ts"

const CALLS = 150
const GUESSES = 60

export const pipeline: Attack = {
  name: "pipeline",
  tries: "150 calls, and 60 wrong passwords, in one write on one connection",
  ids: ["E-11", "E-X2", "SEC-36", "SEC-60"],
  alone: true,
  async run({ engine }) {
    const { host } = new URL(engine.urls.rest)
    const head = (line: string, from: string) => `${line} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: ${from}\r\n`
    const [caller, guesser] = [freshAddress(), freshAddress()]
    const calls = await pipelined(engine.urls.rest, Array(CALLS).fill(`${head("GET /v1/session", caller)}\r\n`))
    const guesses = Array.from({ length: GUESSES }, () => {
      const body = JSON.stringify(wrong("in-one-write"))
      const type = `Content-Type: application/json\r\nContent-Length: ${body.length}`
      return `${head("POST /auth/login", guesser)}${type}\r\n\r\n${body}`
    })
    const guessed = await pipelined(engine.urls.rest, guesses)
    return outcomeOf(`calls: ${tally(calls)}; passwords: ${tally(guessed)}`, {
      [`exactly ${MOST_CALLS} calls pass`]: countOf(calls, 200) === MOST_CALLS && calls.length === CALLS,
      [`exactly ${MOST_GUESSES} passwords are tried`]: countOf(guessed, 401) === MOST_GUESSES,
      "every request is answered": guessed.length === GUESSES,
    })
  },
}

/** The answers, in order; fewer where the server has closed the connection. */
function pipelined(url: string, requests: readonly string[]): Promise<{ status: number }[]> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let received = ""
    const statuses = () =>
      [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => ({ status: Number(status) }))
    const socket = connect(Number(port), hostname, () => socket.write(requests.join("")))
    const done = () => {
      socket.destroy()
      resolve(statuses())
    }
    socket.setEncoding("latin1").once("error", reject).once("close", done)
    socket.on("data", (part) => {
      received += part
      if (statuses().length >= requests.length) done()
    })
  })
}
