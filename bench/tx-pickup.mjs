// From the commit of a caller's own transaction to the first line of the step that it started, for each library: p50, p99 and the longest.
//
//     DATABASE_URL=postgres://… node bench/tx-pickup.mjs [--samples 200]
//
// Caller and worker are in one process, and nothing else happens. The transaction stays open for a while after the start, as a program's
// own statements would keep it. Without DATABASE_URL a PostgreSQL is started in bench/.data, on a real disk.
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { ENGINE } from "./contestants/engine-folder.mjs"
import { callers } from "./measure/callers.mjs"
import { percentiles } from "./measure/statistics.mjs"
import { startCluster } from "./postgres/cluster.mjs"

const OPEN_MS = [0, 20, 200]
const PAUSE_MS = 10

const { values } = parseArgs({ options: { samples: { type: "string", default: "200" } } })
const { millrace, workflow } = await import(new URL("dist/index.js", ENGINE))
const parentDirectory = fileURLToPath(new URL(".data", import.meta.url))
const cluster = process.env.DATABASE_URL ? undefined : await startCluster({ parentDirectory })
const dsn = process.env.DATABASE_URL ?? cluster.dsn("postgres")
const mill = await millrace({ database: dsn, logLevel: "error" })

const begun = new Map()
const flow = workflow("tx-pickup", {
  steps: [
    function begin({ input }) {
      begun.get(input.n)?.(performance.now())
    },
  ],
})
await mill.work([flow], { concurrency: 4 })

let count = 0
async function sample(caller, openMs) {
  const n = count++
  const started = new Promise((resolve) => begun.set(n, resolve))
  await caller.begin(async (tx) => {
    await mill.start(flow, { n }, { tx })
    if (openMs > 0) await sleep(openMs)
  })
  const committedAt = performance.now()
  const delay = Math.max(0, (await started) - committedAt)
  begun.delete(n)
  await sleep(PAUSE_MS)
  return delay
}

const pad = (text, width) => String(text).padEnd(width)
console.log(`${pad("library", 24)}${pad("open for", 10)}${pad("p50 ms", 9)}${pad("p99 ms", 9)}max ms`)
for (const [name, open] of Object.entries(callers)) {
  const caller = open(dsn)
  for (let warm = 0; warm < 10; warm++) await sample(caller, 0)
  for (const openMs of OPEN_MS) {
    const delays = []
    while (delays.length < Number(values.samples)) delays.push(await sample(caller, openMs))
    const { p50Ms, p99Ms, maxMs } = percentiles(delays)
    console.log(`${pad(name, 24)}${pad(`${openMs} ms`, 10)}${pad(p50Ms, 9)}${pad(p99Ms, 9)}${maxMs}`)
  }
  await caller.close()
}
await mill.stop()
await cluster?.stop()
