// GET through `millrace gateway`, with its credential, guard, log and metrics, against a bare @fastify/http-proxy: 32 callers, one upstream.
// The two take turns, each in a process of its own.
import { execFileSync, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { ENGINE } from "../contestants/engine-folder.mjs"
import { freePort } from "../measure/free-port.mjs"
import { expectStatus, withCallers } from "../measure/http-load.mjs"
import { percentiles, perSecond, round } from "../measure/statistics.mjs"
import { now, until } from "../measure/wait.mjs"

export const sizes = { full: { n: 40_000 }, quick: { n: 400 } }
export const show = (figures) =>
  `${figures.perS}/s, ${figures.ratio} of a bare proxy (${figures.barePerS}/s); p99 ${figures.p99Ms} ms, ${figures.p99Ratio} of its ${figures.bareP99Ms} ms`

const CALLERS = 32
const ROUNDS = 4
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
    const seen = { bare: newTally(), mine: newTally() }
    for (const side of Object.values(sides)) await load(side, Math.min(4_000, size.n), newTally())
    for (let round = 0; round < ROUNDS; round++)
      for (const name of ["bare", "mine"]) await load(sides[name], size.n / ROUNDS, seen[name])
    return figuresOf(size.n, seen)
  } finally {
    for (const child of children.reverse()) child.stop()
  }
}

function figuresOf(n, { bare, mine }) {
  const [perS, barePerS] = [perSecond(n, mine.ms), perSecond(n, bare.ms)]
  const [{ p99Ms }, { p99Ms: bareP99Ms }] = [percentiles(mine.took), percentiles(bare.took)]
  const ratios = { ratio: round(perS / barePerS), p99Ratio: round(p99Ms / bareP99Ms) }
  return { n, callers: CALLERS, perS, barePerS, p99Ms: round(p99Ms), bareP99Ms: round(bareP99Ms), ...ratios }
}

const newTally = () => ({ ms: 0, took: [] })

async function load({ url, key }, n, tally) {
  const request = `GET /gateway/things/7 HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${key}\r\n\r\n`
  let sent = 0
  const startedAt = now()
  await withCallers(url, CALLERS, async (caller) => {
    while (sent < n) {
      sent++
      const askedAt = now()
      expectStatus(await caller.ask(request), [200])
      tally.took.push(now() - askedAt)
    }
  })
  tally.ms += now() - startedAt
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
