// `npm start`: runs the spike with the sizes of its flags, prints what came of it, and draws the curve.
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { drawCurve } from "./spike/curve.ts"
import { linesOf } from "./spike/report.ts"
import { runSpike } from "./spike/run-spike.ts"

const { values } = parseArgs({
  options: {
    submissions: { type: "string", default: "20000" },
    workers: { type: "string", default: "4" },
    concurrency: { type: "string", default: "1" },
    "kill-every": { type: "string", default: "5s" },
    quiet: { type: "string", default: "10s" },
    spike: { type: "string", default: "15s" },
    lease: { type: "string", default: "3s" },
    seed: { type: "string", default: "1" },
    picture: { type: "string", default: fileURLToPath(new URL("../flattened-curve.svg", import.meta.url)) },
  },
})
const milliseconds = (text: string): number => Number.parseFloat(text) * 1_000

const interrupted = new AbortController()
// Whichever it is, what was started is stopped first: PostgreSQL would go on without its parent.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => interrupted.abort(signal))

const startedAt = performance.now()
const say = (line: string): void =>
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${line}`)

const options = {
  submissions: Number(values.submissions),
  workers: Number(values.workers),
  concurrency: Number(values.concurrency),
  killEveryMs: milliseconds(values["kill-every"]),
  quietMs: milliseconds(values.quiet),
  spikeMs: milliseconds(values.spike),
  leaseMs: milliseconds(values.lease),
  seed: Number(values.seed),
}
try {
  const report = await runSpike(options, interrupted.signal, say)
  console.log(linesOf(report).join("\n"))
  writeFileSync(values.picture, drawCurve(report))
  process.exitCode = report.verdict.faults.length === 0 ? 0 : 1
} catch (error) {
  if (!interrupted.signal.aborted) throw error
  process.exitCode = interrupted.signal.reason === "SIGTERM" ? 143 : 130
}
