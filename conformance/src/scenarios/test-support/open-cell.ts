// Opens the one cell there is today: an engine that is polled over REST, and a TypeScript worker in a process of its own.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Cell, OpenCell } from "../matrix.ts"
import { openRealEngine } from "./real-engine.ts"

const workerId = "scenario-worker"
/** Node 20 runs what was built. */
const program = fileURLToPath(new URL("../../../dist/scenarios/worker-program.js", import.meta.url))

export async function openCell(
  { transport, dispatch, sdk, name }: Cell,
  through?: (dsn: string) => string,
): Promise<OpenCell> {
  if (transport !== "REST" || dispatch !== "polling" || sdk !== "TypeScript")
    throw new Error(`${name} is listed as running, but nobody wrote how to open it`)
  const engine = await openRealEngine({}, through)
  const worker = spawn(process.execPath, [program, engine.url, workerId], { stdio: ["ignore", "inherit", "inherit"] })
  return {
    client: engine.client,
    worker: { workerId },
    async close() {
      await endWorker(worker).finally(() => engine.close())
    },
  }
}

async function endWorker(worker: ChildProcess): Promise<void> {
  const exited = worker.exitCode === null ? once(worker, "exit") : Promise.resolve([worker.exitCode])
  worker.kill("SIGTERM")
  const [code] = await exited
  if (code !== 0) throw new Error(`the worker did not drain: it ended with ${code}`)
}
