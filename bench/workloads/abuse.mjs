// Mixed abuse of one server for ten minutes: whether its memory goes on growing, and whether it still serves healthy callers.
import { connect } from "node:net"
import { residentMiB } from "../measure/resident.mjs"
import { round } from "../measure/statistics.mjs"
import { now, sleep, until } from "../measure/wait.mjs"
import { doubling } from "./poison.mjs"

export const sizes = { full: { seconds: 600 }, quick: { seconds: 6 } }
export const show = ({ ratio, secondMiB, lastMiB, notReady, calls, faults }) =>
  `${lastMiB} MiB in the last third, ${ratio} of the second's ${secondMiB}, not ready ${notReady} times, ${calls} calls, ${faults} answered 500`

export async function run({ open, size: { seconds } }) {
  const target = await open({ transport: "rest" })
  await target.upload(doubling)
  let handled = 0
  const worker = await target.work({ onJob: () => handled++, profile: "steady" })
  const tally = { calls: 0, faults: 0, started: 0, notReady: 0, mib: [] }
  const endsAt = now() + seconds * 1000
  const attackers = Object.values(attacks).map((attack) => repeat(endsAt, () => attack(target, tally)))
  await Promise.all([...attackers, repeat(endsAt, () => sample(target, tally))])
  await until(() => handled >= tally.started)
  await worker.stop()
  const third = Math.floor(tally.mib.length / 3)
  const [secondMiB, lastMiB] = [most(tally.mib.slice(third, 2 * third)), most(tally.mib.slice(2 * third))]
  const { calls, faults, started, notReady } = tally
  return { seconds, calls, faults, started, notReady, secondMiB, lastMiB, ratio: round(lastMiB / secondMiB, 2) }
}

const most = (values) => Math.max(...values)

async function repeat(endsAt, work) {
  while (now() < endsAt) await work().catch(() => sleep(100))
}

async function sample({ url, serverPid }, tally) {
  const { ok } = await fetch(`${url}/readyz`).catch(() => ({ ok: false }))
  if (!ok) tally.notReady++
  tally.mib.push(residentMiB(serverPid))
  await sleep(250)
}

const attacks = {
  async healthy(target, tally) {
    await target.startOne({ i: tally.started })
    tally.started++
    await sleep(10)
  },
  async double(target) {
    await target.startOf(doubling.id, { a: "x".repeat(100) })
    await sleep(100)
  },
  async tooLarge(target, tally) {
    const variables = { text: Array.from({ length: 3 }, () => "y".repeat(250_000)) }
    await post(target, tally, "/v1/instances", JSON.stringify({ definitionId: "bench-one-step", variables }))
    await post(target, tally, "/v1/instances", "z".repeat(2_000_000))
    await sleep(50)
  },
  async malformed(target, tally) {
    for (const body of MALFORMED) await post(target, tally, "/v1/instances", body)
    await sleep(20)
  },
  async unknown(target, tally) {
    const id = `01JN8Z3V5E8Q2R7W4Y6T9${Math.random().toString(36).slice(2, 7).toUpperCase().padEnd(5, "A")}`
    await post(target, tally, `/v1/instances/${id}/signals/go`, "{}")
    await post(target, tally, `/v1/jobs/${id}:1/complete`, JSON.stringify({ workerId: "w", leaseToken: "x" }))
    await call(target, tally, `/v1/instances/${id}`, { headers: { cookie: `millrace_session=${id}${id}` } })
    await call(target, tally, "/v1/session", { headers: { cookie: `millrace_session=${"a".repeat(43)}` } })
    await call(target, tally, `/nowhere/${id}`, {})
    await sleep(10)
  },
  async leave(target, tally) {
    const options = { method: "POST", headers: JSON_BODY, signal: AbortSignal.timeout(200) }
    const body = JSON.stringify({ workerId: `w${Math.random()}`, jobTypes: ["none"], maxJobs: 1, waitSeconds: 20 })
    await call(target, tally, "/v1/jobs/poll", { ...options, body })
    await call(target, tally, "/v1/stream", { signal: AbortSignal.timeout(200) })
  },
  async halfRequests({ url }) {
    const { hostname, port } = new URL(url)
    const sockets = Array.from({ length: 50 }, () => connect(Number(port), hostname).on("error", () => {}))
    for (const socket of sockets)
      socket.write("POST /v1/instances HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{")
    await sleep(300)
    for (const socket of sockets) socket.destroy()
  },
}

const JSON_BODY = { "content-type": "application/json" }

const MALFORMED = [
  "{",
  "[".repeat(10_000),
  `{"definitionId":"bench-one-step","variables":{"deep":${"[".repeat(40)}${"]".repeat(40)}}}`,
  `{"definitionId":"bench-one-step","variables":{"n":0.1234567890123456789}}`,
  `{"definitionId":"bench-one-step","variables":{${Array.from({ length: 6000 }, (_, k) => `"k${k}":1`).join()}}}`,
  `{"definitionId":"\\u0000","variables":{}}`,
]

const post = (target, tally, path, body) => call(target, tally, path, { method: "POST", headers: JSON_BODY, body })

async function call({ url }, tally, path, options) {
  tally.calls++
  const response = await fetch(url + path, options)
  if (response.status === 500) tally.faults++
  await response.text()
}
