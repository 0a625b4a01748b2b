// GET through `millrace gateway`, with its credential, guard, log and metrics, against a bare @fastify/http-proxy: 32 callers, one upstream.
// Each is a process of its own. They take turns in short windows, and each window is compared with its neighbour: what else the machine does
// for a second then weighs on both, and a single bad second does not decide the p99 of the whole run.
import { execFileSync, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { ENGINE } from "../contestants/engine-folder.mjs"
import { freePort } from "../measure/free-port.mjs"
import { expectStatus, withCallers } from "../measure/http-load.mjs"
import { median, percentiles, perSecond, round } from "../measure/statistics.mjs"
import { now, until } from "../measure/wait.mjs"

export const sizes = { full: { n: 80_000 }, quick: { n: 400 } }
export const show = (figures) =>
  `${figures.perS}/s, ${figures.ratio} of a bare proxy (${figures.barePerS}/s); p99 ${figures.p99Ms} ms, ${figures.p99Ratio} of its ${figures.bareP99Ms} ms`

const CALLERS = 32
const WINDOWS = 20
/** Fewer leave functions that the compiler has not seen often enough, and the gateway has more of them than a bare proxy. */
const WARM_UP = 12_000
const CLI = fileURLToPath(new URL("dist/cli.js", ENGINE))
const here = (file) => fileURLToPath(new URL(`../measure/${file}`, import.meta.url))

export async function run({ dsn, size }) {
  const children = []
  const begin = async (starting) => {
    children.push(await starting)
    return children.at(-1)
  }
  try {
    const upstream = await begin(startChild([here("bare-upstream.mjs")]))
    const proxy = await begin(startChild([here("bare-proxy.mjs"), upstream.url]))
    const gateway = await begin(startGateway(dsn, upstream.url))
    const key = makeKey(dsn)
    const sides = { bare: { url: proxy.url, key: "none" }, mine: { url: gateway.url, key } }
    for (const side of Object.values(sides)) await load(side, Math.min(WARM_UP, size.n))
    return figuresOf(size.n, await inWindows(sides, size.n / WINDOWS))
  } finally {
    for (const child of children.reverse()) child.stop()
  }
}

/** The other one is first in every window. */
async function inWindows(sides, n) {
  const seen = { bare: [], mine: [] }
  for (let window = 0; window < WINDOWS; window++)
    for (const name of window % 2 ? ["mine", "bare"] : ["bare", "mine"]) seen[name].push(await load(sides[name], n))
  return seen
}

function figuresOf(n, { bare, mine }) {
  const middle = (windows, metric) => round(median(windows.map((window) => window[metric])))
  const ratio = (metric) => round(median(mine.map((window, at) => window[metric] / bare[at][metric])))
  return {
    ...{ n, callers: CALLERS, ratio: ratio("perS"), p99Ratio: ratio("p99Ms") },
    ...{ perS: middle(mine, "perS"), barePerS: middle(bare, "perS") },
    ...{ p99Ms: middle(mine, "p99Ms"), bareP99Ms: middle(bare, "p99Ms") },
  }
}

async function load({ url, key }, n) {
  const request = `GET /gateway/things/7 HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${key}\r\n\r\n`
  const took = []
  let sent = 0
  const startedAt = now()
  await withCallers(url, CALLERS, async (caller) => {
    while (sent < n) {
      sent++
      const askedAt = now()
      expectStatus(await caller.ask(request), [200])
      took.push(now() - askedAt)
    }
  })
  return { perS: perSecond(n, now() - startedAt), p99Ms: percentiles(took).p99Ms }
}

/** A program that says its URL on its first line. */
async function startChild(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve(String(line).trim()))
    child.once("exit", () => reject(new Error(`${args[0]} did not start`)))
  })
  return { url, stop: () => child.kill("SIGKILL") }
}

async function startGateway(dsn, upstream) {
  const port = await freePort()
  const env = {
    ...process.env,
    WE_POSTGRES_DSN: dsn,
    WE_METRICS_PORT: "0",
    // A line for each request, as an operator has it, but to nowhere: the terminal is not what is measured.
    WE_LOG_LEVEL: "info",
    WE_GUARD_LIMITS: "gateway=1000000/60s",
  }
  const args = [CLI, "gateway", "--upstream", upstream, "--port", String(port)]
  const child = spawn(process.execPath, args, { env, stdio: "ignore" })
  const url = `http://127.0.0.1:${port}`
  await until(() => isReady(url), { everyMs: 50 })
  return { url, stop: () => child.kill("SIGKILL") }
}

const isReady = (url) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

function makeKey(dsn) {
  const env = { ...process.env, WE_POSTGRES_DSN: dsn }
  return /mill_\w+/.exec(
    execFileSync(process.execPath, [CLI, "keys", "create", "bench", "--scope", "gateway"], { env }),
  )[0]
}
