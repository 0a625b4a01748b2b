// POST /v1/intake from 32 and from 128 concurrent callers, against a bare Fastify route that parses the same body and answers 202 without a
// database. The two take turns in short windows, and each window is compared with its neighbour. Server, callers and store share the machine's
// cores, so the ratio says how much a durable answer costs all of them; the CPU of a request is the server's own part of it.
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import { cpuOf } from "../measure/cpu.mjs"
import { loadHttp, postRequest } from "../measure/http-load.mjs"
import { median, perSecond, round } from "../measure/statistics.mjs"

export const sizes = { full: { n: 20_000 }, quick: { n: 300 } }
export const show = (figures) =>
  `${figures.perS}/s, ${figures.ratio} of a bare route (${figures.barePerS}/s); with ${MORE} callers ${figures.morePerS}/s, ${figures.moreRatio}; ` +
  `${figures.serverUs} µs of the server and ${figures.storeUs} of the store a request, ${figures.bareUs} of the bare route`

const CALLERS = 32
const MORE = 128
const WINDOWS = 5
/** Fewer leave functions that the compiler has not seen often enough, and the engine has more of them than a bare route. */
const WARM_UP = 12_000
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
  const sides = { bare, mine: { url: target.url, pid: target.serverPid } }
  try {
    for (const { url } of Object.values(sides)) await load(url, CALLERS, Math.min(WARM_UP, size.n))
    const windows = (callers) => inWindows(sides, { callers, n: size.n / WINDOWS, storePid })
    const few = await windows(CALLERS)
    return { n: size.n, callers: CALLERS, ...figuresOf(few), ...cpuFigures(few), ...moreFigures(await windows(MORE)) }
  } finally {
    bare.stop()
  }
}

/** The other one is first in every window. */
async function inWindows(sides, { callers, n, storePid }) {
  const seen = { bare: [], mine: [] }
  for (let window = 0; window < WINDOWS; window++)
    for (const name of window % 2 ? ["mine", "bare"] : ["bare", "mine"]) {
      const { url, pid } = sides[name]
      const cpuS = () => [cpuOf([pid]), cpuOf([storePid])]
      const before = cpuS()
      const { ms } = await load(url, callers, n)
      const [serverUs, storeUs] = cpuS().map((after, at) => ((after - before[at]) / n) * 1e6)
      seen[name].push({ perS: perSecond(n, ms), serverUs, storeUs })
    }
  return seen
}

const middle = (windows, metric) => round(median(windows.map((window) => window[metric])))

const figuresOf = ({ bare, mine }) => ({
  perS: middle(mine, "perS"),
  barePerS: middle(bare, "perS"),
  ratio: round(median(mine.map(({ perS }, at) => perS / bare[at].perS))),
})

const cpuFigures = ({ bare, mine }) => ({
  serverUs: middle(mine, "serverUs"),
  storeUs: middle(mine, "storeUs"),
  bareUs: middle(bare, "serverUs"),
})

function moreFigures(seen) {
  const { perS, barePerS, ratio } = figuresOf(seen)
  return { moreCallers: MORE, morePerS: perS, moreBarePerS: barePerS, moreRatio: ratio }
}

const load = (url, callers, n) => loadHttp({ url, callers, n, status: 202, requestOf: () => requestTo(url) })

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
  return { url, pid: server.pid, stop: () => server.kill("SIGKILL") }
}
