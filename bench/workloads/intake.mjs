// POST /v1/intake from 32 concurrent callers, against a bare Fastify route that parses the same body and answers 202 without a database.
// Server and callers share the machine's cores; the two take turns.
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import { startCpuMeter } from "../measure/cpu.mjs"
import { loadHttp, postRequest } from "../measure/http-load.mjs"
import { perSecond, round } from "../measure/statistics.mjs"

export const sizes = { full: { n: 20_000 }, quick: { n: 300 } }
export const show = (figures) => `${figures.perS}/s, ${figures.ratio} of a bare route (${figures.barePerS}/s)`

const CALLERS = 32
const WARM_UP = 4000
export const LIST = {
  id: "bench-list",
  name: "bench-list",
  execution: "steplist",
  steps: [{ id: "only", name: "only", type: "SERVICE_TASK", jobType: "bench-list" }],
}

export async function run({ open, size, storePid }) {
  const target = await open({ transport: "rest" })
  await target.upload(LIST)
  const bare = await startBareRoute()
  try {
    const warmUp = Math.min(WARM_UP, size.n)
    for (const url of [bare.url, target.url]) await load(url, warmUp)
    const [bareBefore, readCpu] = [await load(bare.url, size.n / 2), startCpuMeter(storePid)]
    const mine = await load(target.url, size.n)
    const cpu = readCpu()
    const bareAfter = await load(bare.url, size.n / 2)
    const barePerS = perSecond(size.n, bareBefore.ms + bareAfter.ms)
    const perS = perSecond(mine.n, mine.ms)
    return { n: size.n, callers: CALLERS, perS, barePerS, ratio: round(perS / barePerS), ...cpu }
  } finally {
    bare.stop()
  }
}

const load = (url, n) => loadHttp({ url, callers: CALLERS, n, status: 202, requestOf: () => requestTo(url) })

export const requestTo = (url, headers = {}) =>
  postRequest({
    host: new URL(url).host,
    path: `/v1/intake/${LIST.id}`,
    headers: { "idempotency-key": randomUUID(), ...headers },
    body: BODY,
  })

// About what a short form sends.
const BODY = JSON.stringify({
  authenticationMode: "net_new",
  email: "somebody@example.test",
  name: { first: "Some", last: "Body" },
  address: { street: "1 Mill Lane", city: "Racetown", postalCode: "12345", country: "NL" },
  answers: Array.from({ length: 8 }, (_, n) => ({ question: `q${n}`, answer: n % 2 === 0 })),
})

async function startBareRoute() {
  const server = spawn(process.execPath, [fileURLToPath(new URL("../measure/bare-route.mjs", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const url = await new Promise((resolve, reject) => {
    server.stdout.once("data", (line) => resolve(String(line).trim()))
    server.once("exit", () => reject(new Error("the bare route did not start")))
  })
  return { url, stop: () => server.kill("SIGKILL") }
}
