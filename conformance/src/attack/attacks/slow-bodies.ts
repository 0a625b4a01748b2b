// Requests whose bodies never come to an end: each would keep a socket and a place.
import { connect, type Socket } from "node:net"
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { MOST_CALLS } from "../guesses.ts"
import { residentMiB } from "../resident.ts"
import { ask, countOf, flood, tally } from "../wire.ts"

const SLOW = 150
const MOST_GROWTH_MIB = 200

export const slowBodies: Attack = {
  name: "send bodies slowly",
  tries: "150 sign-ins from one address whose bodies stop after the first byte, and as many from other addresses",
  ids: ["SEC-36", "SEC-60"],
  alone: true,
  async run({ engine, size }) {
    const url = engine.urls.rest
    const [slow, honest] = [freshAddress(), freshAddress()]
    const before = residentMiB(engine.pid)
    const sockets = Array.from({ length: SLOW }, () => begin(url, slow))
    const others = Array.from({ length: size(2_000, 100) }, () => begin(url, freshAddress()))
    const refused = await refusedOf(sockets, SLOW - MOST_CALLS)
    const served = await flood(20, 4, () => ask(url, { path: "/v1/session", from: honest }))
    const grown = residentMiB(engine.pid) - before
    for (const { socket } of [...sockets, ...others]) socket.destroy()
    return outcomeOf(
      `${refused} of ${SLOW} refused before their bodies, ${others.length} others open, ${grown} MiB more; honest calls: ${tally(served)}`,
      {
        "those over the limit are refused before a body is read": refused === SLOW - MOST_CALLS,
        "honest calls are served": countOf(served, 200) === served.length,
        [`the engine grows by at most ${MOST_GROWTH_MIB} MiB`]: grown <= MOST_GROWTH_MIB,
      },
    )
  },
}

interface Begun {
  readonly socket: Socket
  /** True as soon as it is answered 429. */
  readonly refused: () => boolean
}

function begin(url: string, from: string): Begun {
  const { hostname, port, host } = new URL(url)
  const type = "Content-Type: application/json\r\nContent-Length: 500"
  const head = `POST /auth/login HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: ${from}\r\n${type}\r\n\r\n{`
  let received = ""
  const socket = connect(Number(port), hostname, () => socket.write(head)).on("error", () => {})
  socket.setEncoding("latin1").on("data", (part) => {
    received += part
  })
  return { socket, refused: () => received.startsWith("HTTP/1.1 429") }
}

/** Until as many are refused as must be, and a moment longer for one too many. */
async function refusedOf(begun: readonly Begun[], least: number): Promise<number> {
  const count = () => begun.filter(({ refused }) => refused()).length
  const turn = () => new Promise((resolve) => setTimeout(resolve, 100))
  for (let turns = 0; count() < least && turns < 200; turns++) await turn()
  for (let turns = 0; turns < 5; turns++) await turn()
  return count()
}
