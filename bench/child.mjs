// Runs one contestant on one workload in a process and a database of its own, and returns its figures or its error.
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { BEFORE } from "./contestants/index.mjs"
import { createDatabase, dropDatabase } from "./postgres/database.mjs"
import { workloads } from "./workloads/index.mjs"

const SCRIPT = fileURLToPath(new URL("run-one.mjs", import.meta.url))
const LIMIT_MS = 20 * 60_000

/** A workload with parts is one child per part, and its figures are combined from theirs. */
export async function runWorkload({ run, ...stage }) {
  const workload = workloads[run.workload]
  if (!workload.parts) return runChild({ run, ...stage })
  const outcomes = []
  for (const size of workload.parts(run.size)) {
    const outcome = await runChild({ run: { ...run, size }, ...stage })
    if (outcome.error) return outcome
    outcomes.push(outcome)
  }
  return { ...outcomes[0], figures: workload.combine(outcomes.map((outcome) => outcome.figures)) }
}

async function runChild({ run, cluster, node, before, signal }) {
  const database = `bench_${run.contestant}_${run.workload}`.replaceAll("-", "_")
  const admin = cluster.dsn("postgres")
  await createDatabase(admin, database)
  try {
    const order = { ...run, dsn: cluster.dsn(database), directory: cluster.directory, storePid: cluster.pid }
    return await forkAndWait({ order: { ...order, ...moduleOf(run) }, node, env: engineOf(run, before), signal })
  } finally {
    if (!signal.aborted) await dropDatabase(admin, database)
  }
}

const moduleOf = ({ contestant }) => ({ module: contestant === BEFORE ? "millrace" : contestant })

const engineOf = ({ contestant }, before) => (contestant === BEFORE ? { MILLRACE_ENGINE_DIR: before.engine } : {})

function forkAndWait({ order, node, env: more, signal }) {
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_NO_WARNINGS: "1", ...more }
    const stdio = ["ignore", "ignore", "pipe", "ipc"]
    const child = fork(SCRIPT, [], { execPath: node.path, execArgv: [], env, stdio })
    let outcome
    let complaints = ""
    child.stderr.on("data", (chunk) => {
      complaints = (complaints + chunk).slice(-2000)
    })
    const kill = () => child.kill("SIGKILL")
    const limit = setTimeout(kill, LIMIT_MS)
    signal.addEventListener("abort", kill, { once: true })
    child.on("message", (message) => {
      outcome = message
    })
    child.on("exit", (code, signalName) => {
      clearTimeout(limit)
      signal.removeEventListener("abort", kill)
      resolve(outcome ?? { error: `ended with ${signalName ?? `code ${code}`}: ${complaints.trim() || "no output"}` })
    })
    child.send(order)
  })
}
