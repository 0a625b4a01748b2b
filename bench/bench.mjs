// The benchmark: one private PostgreSQL, contestants in turn, figures as JSON lines, tables at the end.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { buildCommit } from "./builds.mjs"
import { runWorkload } from "./child.mjs"
import { waitForQuietMachine } from "./measure/cpu.mjs"
import { probeFsyncMs } from "./measure/fsync-probe.mjs"
import { findNode } from "./node-binary.mjs"
import { HELP, parseOptions } from "./options.mjs"
import { makePlan } from "./plan.mjs"
import { startCluster } from "./postgres/cluster.mjs"
import { describeEnvironment, describeInWords } from "./report/machine.mjs"
import { createProgress } from "./report/progress.mjs"
import { changesTable, figuresTable, floorsTable } from "./report/table.mjs"
import { workloads } from "./workloads/index.mjs"

const MANY_ROUNDS = 3
const FEW_ROUNDS = "Fewer than three rounds: a change in this table may be chance."

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

async function main(options) {
  const node = findNode()
  const { runs, skipped } = makePlan(options, node.major)
  for (const { name, reason } of skipped) console.error(`skipped: ${name} (${reason})`)
  if (runs.length === 0) throw new Error("nothing to run")
  const before = options.against && buildCommit(options.against)

  const stop = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => stop.abort())
  const out = resolve(
    options.out ?? here(`results/local/${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.jsonl`),
  )
  mkdirSync(dirname(out), { recursive: true })
  const cluster = await startCluster({
    parentDirectory: resolve(options.data ?? here(".data")),
    binaries: options.pgbin,
  })
  const environment = describeEnvironment({ cluster, node })
  console.error(describeInWords(environment))
  const results = []
  try {
    await runAll({ runs, options, cluster, node, before, signal: stop.signal }, (result) => {
      results.push(result)
      appendFileSync(out, `${JSON.stringify({ ...result, ...environment })}\n`)
    })
  } finally {
    await cluster.stop()
  }
  const page = report({ results, environment, skipped, options, before })
  writeFileSync(out.replace(/(\.jsonl)?$/, ".md"), page)
  console.log(page)
  const broken = results.some((result) => result.contestant === "millrace" && result.error)
  process.exitCode = stop.signal.aborted ? 130 : broken ? 1 : 0
}

async function runAll({ runs, options, signal, ...stage }, record) {
  const progress = createProgress(runs.length)
  for (const run of runs) {
    if (signal.aborted) break
    progress.begin(run)
    const waitedS = await waitForQuietMachine(options.settleS)
    const fsyncBefore = probeFsyncMs(stage.cluster.directory)
    const outcome = await runWorkload({ run, ...stage, signal })
    if (signal.aborted) break
    const fsyncMs = [fsyncBefore, probeFsyncMs(stage.cluster.directory)]
    record({ at: new Date().toISOString(), ...run, ...outcome, fsyncMs, waitedS })
    progress.end(outcome.error ? `failed: ${outcome.error}` : workloads[run.workload].show(outcome.figures))
  }
  progress.stop()
}

function report({ results, environment, skipped, options, before }) {
  const notes = [describeInWords(environment)]
  if (options.quick) notes.push("Quick sizes: this shows that everything runs; the figures and verdicts mean nothing.")
  if (skipped.length) notes.push(`Skipped: ${skipped.map(({ name, reason }) => `${name} (${reason})`).join(", ")}.`)
  if (before && options.rounds < MANY_ROUNDS) notes.push(FEW_ROUNDS)
  if (before) notes.push(`Beside commit ${before.hash}:`, changesTable(results))
  return `${notes.join("\n\n")}\n\n${floorsTable(results)}\n\n${figuresTable(results)}\n`
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options.help) console.log(HELP)
  else await main(options)
} catch (error) {
  console.error(`bench: ${error.message}`)
  process.exitCode = 1
}
// What a run that broke has left behind may hold a pipe of this process open.
process.exit()
