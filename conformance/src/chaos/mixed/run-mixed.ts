// Two engine replicas behind the clients of several languages: replicas and workers are killed, never both replicas at once.
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Database } from "../../../../engine/dist/db/database.js"
import { buildProgram } from "../../scenarios/control/programs.ts"
import type { Sdk } from "../../scenarios/matrix.ts"
import { inArena } from "../arena.ts"
import { Slot } from "../nodes.ts"
import type { ChaosOptions } from "../options.ts"
import { Progress } from "../progress.ts"
import { seeded } from "../random.ts"
import { settle } from "../settle.ts"
import { MixedWorker } from "./mixed-worker.ts"
import { Starts } from "./starts.ts"
import { completedBy, verifyMixed } from "./verify-mixed.ts"
import { order } from "./workload.ts"

export interface MixedResult {
  readonly kills: number
  readonly accepted: number
  /** Steps that each worker completed, in all and after the last kill. */
  readonly steps: ReadonlyMap<string, number>
  readonly stepsAfter: ReadonlyMap<string, number>
  readonly violations: readonly string[]
  readonly folder: string
}

/** After the last kill the load goes on for so long: every worker must be seen at work. */
const AFTERMATH_MS = 15_000

export async function runMixed(options: ChaosOptions, sdks: readonly Sdk[]): Promise<MixedResult> {
  await buildAll(sdks)
  return inArena(options.folder, async ({ dsn, folder, db, violations }) => {
    const field = openField(options, { dsn, folder, sdks, violations })
    try {
      const result = await fight(options, field, db)
      violations.push(...result.violations)
      return result
    } finally {
      await Promise.all([...field.workers, ...field.replicas].map((one) => one.kill()))
    }
  })
}

async function buildAll(sdks: readonly Sdk[]): Promise<void> {
  for (const sdk of sdks) {
    const reason = await buildProgram(sdk)
    if (reason) throw new Error(`${sdk}: ${reason}`)
  }
}

interface Field {
  readonly replicas: readonly Slot[]
  readonly workers: readonly MixedWorker[]
  readonly restUrls: readonly string[]
}

interface Ground {
  readonly dsn: string
  readonly folder: string
  readonly sdks: readonly Sdk[]
  readonly violations: string[]
}

/** Each language works twice: over REST, and pushed to over gRPC. */
function openField({ seed }: ChaosOptions, { dsn, folder, sdks, violations }: Ground): Field {
  const base = 20_000 + (process.pid % 20_000)
  const ports = [0, 1].map((slot) => ({ slot, port: base + 2 * slot, grpcPort: base + 2 * slot + 1 }))
  const circumstances = { onDeath: (what: string) => void violations.push(what), othersMayBeAway: false }
  const restUrls = ports.map(({ port }) => `http://127.0.0.1:${port}`)
  const grpcUrls = ports.map(({ grpcPort }) => `grpc://127.0.0.1:${grpcPort}`)
  const addresses = { rest: restUrls.join(","), grpc: grpcUrls.join(",") }
  const log = createWriteStream(join(folder, "workers.log"))
  return {
    restUrls,
    replicas: ports.map((place) => new Slot({ role: "server", dsn, folder, seed, ...place }, circumstances)),
    workers: sdks.flatMap((sdk) => [
      new MixedWorker({ sdk, transport: "rest", mode: "exchange", addresses, log }),
      new MixedWorker({ sdk, transport: "grpc", mode: "stream", addresses, log }),
    ]),
  }
}

async function fight(options: ChaosOptions, field: Field, db: Database): Promise<Omit<MixedResult, "folder">> {
  const { replicas, workers } = field
  await open(field)
  const begunAt = new Date()
  const starts = new Starts(workers, seeded(options.seed))
  const load = starts.run(db)
  const kills = await killByTurns(options, field, () => starts.accepted.length)
  const lastKillAt = new Date()
  await sleep(AFTERMATH_MS)
  starts.stop()
  await load
  await settle(db, replicas)
  const stepsAfter = await completedBy(db, lastKillAt)
  const violations = [
    ...starts.violations,
    ...workers.flatMap(({ name }) => (stepsAfter.has(name) ? [] : [`${name} did nothing after the last kill`])),
    ...(await Promise.all(workers.map((worker) => worker.end()))).flat(),
    ...(await verifyMixed(db, starts.accepted)),
  ]
  return { kills, accepted: starts.accepted.length, steps: await completedBy(db, begunAt), stepsAfter, violations }
}

/** The first replica makes the tables; the second finds them. */
async function open({ replicas, workers, restUrls }: Field): Promise<void> {
  for (const replica of replicas) {
    replica.start()
    await replica.ready
  }
  const upload = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(order) }
  const answer = await fetch(`${restUrls[0]}/v1/definitions`, upload)
  if (!answer.ok) throw new Error(`the definition was refused: ${await answer.text()}`)
  for (const worker of workers) worker.start()
}

async function killByTurns(
  options: ChaosOptions,
  { replicas, workers }: Field,
  started: () => number,
): Promise<number> {
  const random = seeded(options.seed + 1)
  const progress = new Progress(options)
  const endAt = performance.now() + options.minutes * 60_000
  let kills = 0
  for (; kills < options.kills && performance.now() < endAt; kills++) {
    progress.show(kills, `${started()} orders started`)
    await sleep(random.between(500, 4_000))
    const victim = random.chance(0.5) ? random.pick(replicas) : random.pick(workers)
    // One replica always answers: the other is up again before its turn comes.
    if (victim instanceof Slot) await Promise.all(replicas.map((replica) => replica.ready))
    await victim.kill()
    victim.start()
  }
  progress.end()
  await Promise.all(replicas.map((replica) => replica.ready))
  return kills
}
