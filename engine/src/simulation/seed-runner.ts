// One process of a simulation: runs the seeds that it is sent, on a PostgreSQL of its own, until it is told to end.
import { runSeed, type SeedResult } from "./run-seed.ts"
import { startSimServer } from "./sim-server.ts"

export interface SeedOrder {
  readonly seed: number
  readonly trace?: string | undefined
}

export type SeedReport = { readonly ready: true } | (SeedResult & { readonly ready?: never })

const tell = (report: SeedReport): void => void process.send?.(report)

const server = await startSimServer()
let working: Promise<void> = Promise.resolve()
let isEnding = false

async function work({ seed, trace }: SeedOrder): Promise<void> {
  try {
    tell(await runSeed(server, seed, trace))
  } catch (error) {
    // The seed that was running when the server was stopped.
    if (!isEnding) throw error
  }
}

process.on("message", (order: SeedOrder) => {
  working = working.then(() => work(order))
})
// Nothing of it is left behind, however it ends.
async function end(code: number): Promise<void> {
  isEnding = true
  await server.stop()
  process.exit(code)
}

process.on("SIGTERM", () => void end(1))
// A terminal sends it to all: who deals the seeds says when it is over.
process.on("SIGINT", () => {})
process.on("disconnect", () => void working.finally(() => end(0)))
tell({ ready: true })
