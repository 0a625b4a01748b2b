// The whole show: a database, six services and a crew; a quiet while, a spike, its long tail; then the books are checked.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Mill, millrace } from "millrace"
import { startDunning } from "../dunning.ts"
import { seeded } from "../seeded.ts"
import { environmentOf } from "../services/start-services.ts"
import { Crew } from "./crew.ts"
import { Books, connectionString } from "./database.ts"
import { percentile } from "./percentile.ts"
import { evenly, type Sent, type Shape, sendAll, spike } from "./send.ts"
import { type AllStats, type ServicesProcess, startServicesProcess } from "./services-process.ts"
import { type PlannedSubmission, planSubmissions } from "./submissions.ts"
import { judge, sumOf, type Verdict } from "./verdict.ts"

export interface SpikeOptions {
  readonly submissions: number
  readonly workers: number
  readonly concurrency: number
  readonly killEveryMs: number
  /** How long submissions come evenly before the spike, for the time that a run takes on its own. */
  readonly quietMs: number
  /** How long the submissions take to arrive. */
  readonly spikeMs: number
  readonly leaseMs: number
  readonly seed: number
}

export interface SpikeReport {
  readonly options: SpikeOptions
  /** Distinct submissions before the spike, and in it. */
  readonly early: number
  readonly distinct: number
  /** Of a run on its own, from arrival to end. */
  readonly p95Ms: number
  readonly sent: Sent
  /** From the first arrival of the spike until nothing was pending. */
  readonly drainedMs: number
  readonly lostAt: readonly number[]
  readonly dunned: number
  readonly stats: AllStats
  readonly verdict: Verdict
}

const DUPLICATES = 0.3
/** Far from what a slot can do, so that no run waits for one. */
const QUIET_PER_SLOT = 5
const LOOK_EVERY_MS = 500
const TELL_EVERY_MS = 5_000

interface Stage {
  readonly mill: Mill
  readonly services: ServicesProcess
  readonly crew: Crew
  readonly books: Books
  readonly signal: AbortSignal
  readonly say: (line: string) => void
}

export async function runSpike(
  options: SpikeOptions,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<SpikeReport> {
  const closing: (() => unknown)[] = []
  try {
    const stage = await setStage(options, signal, say, (close) => closing.unshift(close))
    return await perform(stage, options)
  } finally {
    for (const close of closing) await close()
  }
}

async function setStage(
  { seed, workers, concurrency, leaseMs }: SpikeOptions,
  signal: AbortSignal,
  say: (line: string) => void,
  onEnd: (close: () => unknown) => void,
): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), "onboarding-"))
  onEnd(() => rmSync(dataDir, { recursive: true, force: true }))
  const mill = await millrace({ database: "embedded", dataDir })
  onEnd(() => mill.stop())
  const services = await startServicesProcess(seed)
  onEnd(() => services.stop())
  // The event of the other flow: a run that waits for this account need not wait any longer. A lost event costs the delay, no more.
  services.onAccountCreated((email) => void mill.wake(`account:${email}`).catch(() => {}))
  const database = connectionString(dataDir)
  const books = new Books(database)
  onEnd(() => books.close())
  const settings = { DATABASE_URL: database, CONCURRENCY: String(concurrency), LEASE_MS: String(leaseMs) }
  const crew = await Crew.hire(workers, { ...settings, ...environmentOf(services.urls) })
  onEnd(() => crew.stop())
  say(`look into it: PGPASSWORD=$(cat ${join(dataDir, "password")}) psql ${database.replace(/:[^:@/]+@/, "@")}`)
  say(`workers ${crew.pids.join(", ")}: kill one if you like, it is replaced`)
  return { mill, services, crew, books, signal, say }
}

async function perform(stage: Stage, options: SpikeOptions): Promise<SpikeReport> {
  const { mill, services, crew, books, say } = stage
  const random = seeded(options.seed)
  const slots = options.workers * options.concurrency
  const early = planSubmissions((slots * QUIET_PER_SLOT * options.quietMs) / 1_000, 0, random)
  const crowd = planSubmissions(options.submissions, DUPLICATES, random)

  say(`quiet: ${early.length} submissions in ${options.quietMs / 1_000} s`)
  await drain(stage, early, { overMs: options.quietMs, shape: evenly })
  // The first half has warmed everything up.
  const p95Ms = percentile(await books.runTimesMs(early.length / 2), 0.95)

  say(`spike: ${options.submissions} submissions in ${options.spikeMs / 1_000} s`)
  crew.killEvery(options.killEveryMs)
  const startedAt = performance.now()
  const sent = await drain(stage, crowd, { overMs: options.spikeMs, shape: spike })
  const drainedMs = performance.now() - startedAt
  crew.spare()
  const dunned = await startDunning(mill)
  await untilDone(stage)

  const stats = await services.stats()
  const verdict = judge({ sent: [...early, ...crowd], rows: await books.rows(), stats, slots })
  const { lostAt } = crew
  return {
    options,
    early: early.length,
    distinct: crowd.length,
    p95Ms,
    sent,
    drainedMs,
    lostAt,
    dunned,
    stats,
    verdict,
  }
}

async function drain(
  stage: Stage,
  submissions: readonly PlannedSubmission[],
  when: { readonly overMs: number; readonly shape: Shape },
): Promise<Sent> {
  const { mill, signal } = stage
  const telling = setInterval(() => void tellProgress(stage).catch(() => {}), TELL_EVERY_MS)
  try {
    const sent = await sendAll(mill, submissions, { ...when, signal })
    await untilDone(stage)
    return sent
  } finally {
    clearInterval(telling)
  }
}

async function untilDone({ books, signal }: Stage): Promise<void> {
  while ((await books.counts()).PENDING > 0) await sleep(LOOK_EVERY_MS, undefined, { signal })
}

async function tellProgress({ books, services, crew, say }: Stage): Promise<void> {
  const { PENDING, COMPLETE, FAILED } = await books.counts()
  const calls = sumOf(await services.stats(), "calls")
  const lost = crew.lostAt.length
  say(`${PENDING} pending, ${COMPLETE} complete, ${FAILED} failed; ${calls} calls; ${lost} workers killed`)
}
