// Runs one seed from an empty database to its end, and says what was wrong.
import { uploadDefinition } from "../operations/definitions/upload-definition.ts"
import { relaysOf } from "../operations/events/relays.ts"
import { Checker } from "./check.ts"
import { Dice } from "./dice.ts"
import { Ledger } from "./ledger.ts"
import { drawProfile, type Profile } from "./profile.ts"
import type { SimServer } from "./sim-server.ts"
import { Simulation } from "./simulation.ts"
import { Trace } from "./trace.ts"
import { WORKFLOWS } from "./workload/definitions.ts"
import { Nemesis } from "./workload/nemesis.ts"
import { Operator } from "./workload/operators.ts"
import { Receiver } from "./workload/receiver.ts"
import { Runs } from "./workload/runs.ts"
import { Submitter } from "./workload/submitters.ts"
import { SimulatedWorker } from "./workload/worker.ts"

export interface SeedResult {
  readonly seed: number
  readonly profile: Profile
  readonly steps: number
  readonly faults: number
  readonly virtualMs: number
  readonly digest: string
  readonly violations: readonly string[]
  /** What happened last. */
  readonly last: readonly string[]
}

const CHECK_EVERY = 400
/** Whether all work has ended is looked at more often: it costs one statement, a check one for each question of the doctor. */
const LOOKS_PER_CHECK = 4
const MOST_STEPS = 60_000
/** L1: everything that was accepted has ended by then, its own retries included. */
const DRAIN_MS = 180_000

export async function runSeed(server: SimServer, seed: number, traceFile?: string): Promise<SeedResult> {
  const profile = drawProfile(new Dice(seed + 1))
  const database = await server.open(profile.isWarm)
  const trace = new Trace(traceFile)
  const ledger = new Ledger()
  const simulation = new Simulation({ database, seed, profile, trace, onRefused: (what) => ledger.violate(what) })
  try {
    await live(simulation, ledger, new Checker(database.db, ledger, profile))
  } catch (error) {
    ledger.violate(`the simulation failed: ${(error as Error).stack ?? String(error)}`)
  } finally {
    await simulation.close()
    await database.close()
  }
  return {
    seed,
    profile,
    steps: simulation.steps,
    faults: simulation.faults,
    virtualMs: simulation.time.nowMs,
    digest: trace.digest,
    violations: ledger.violations,
    last: trace.last,
  }
}

async function live(simulation: Simulation, ledger: Ledger, checker: Checker): Promise<void> {
  const { time, profile } = simulation
  const submitter = new Submitter(simulation, ledger)
  const runs = new Runs(simulation, ledger)
  let isSubmitted = false
  const submit = async () => {
    await Promise.all([submitter.submit(), runs.start()])
    isSubmitted = true
  }
  await open(simulation, ledger, runs)
  simulation.outside.enter(() => act(simulation, ledger, submit))
  const most = { steps: MOST_STEPS, every: CHECK_EVERY, check: () => checker.checkState() }
  await simulation.run(() => time.nowMs >= profile.busyMs || ledger.violations.length > 0, most)
  simulation.isHealed = true
  simulation.note("HEALED")
  const healedMs = time.nowMs
  let isDrained = false
  let looks = 0
  const drain = async () => {
    looks += 1
    if (looks % LOOKS_PER_CHECK === 0) await checker.checkState()
    isDrained = isSubmitted && (await checker.countLive()) === 0
  }
  const isOver = () => isDrained || ledger.violations.length > 0 || time.nowMs > healedMs + DRAIN_MS
  await simulation.run(isOver, { steps: MOST_STEPS, every: CHECK_EVERY / LOOKS_PER_CHECK, check: drain })
  if (ledger.violations.length > 0) return
  if (!isDrained)
    ledger.violate(
      `L1: not all work has ended ${DRAIN_MS / 1_000} s after the last fault:\n  ${await checker.describeLive()}`,
    )
  await checker.checkEnd()
}

/** The first engine, with the workflows, before anything goes wrong. */
async function open(simulation: Simulation, ledger: Ledger, runs: Runs): Promise<void> {
  let isOpen = false
  simulation.isHealed = true
  const receiver = new Receiver(simulation, ledger)
  simulation.cluster.prepare = async (kernel, process) => {
    if (simulation.profile.events > 0)
      await relaysOf(kernel).add({ sink: receiver.sinkOf(process), kind: "in-process", batchMax: 3 })
    for (const document of WORKFLOWS) await uploadDefinition(kernel, { document, actor: "local" })
    if (simulation.profile.runs > 0) await runs.work(kernel)
  }
  if (simulation.profile.runs > 0) simulation.cluster.leave = (kernel) => runs.stop(kernel)
  const begin = simulation.outside.enter(() => simulation.cluster.start())
  begin.then(
    () => (isOpen = true),
    (error: unknown) => ledger.violate(`the first engine did not start: ${(error as Error).stack ?? String(error)}`),
  )
  const none = { steps: 5_000, every: 10_000, check: async () => {} }
  await simulation.run(() => isOpen || ledger.violations.length > 0, none)
  simulation.isHealed = false
}

function act(simulation: Simulation, ledger: Ledger, submit: () => Promise<void>): void {
  const operator = new Operator(simulation, ledger)
  const nemesis = new Nemesis(simulation, ledger)
  const actors = [
    submit,
    ...Array.from(
      { length: simulation.profile.workers },
      (_, n) => () => new SimulatedWorker(simulation, ledger).work(`worker-${n}`),
    ),
    () => operator.serve("ann"),
    () => new Operator(simulation, ledger).serve("bob"),
    () => operator.interfere(),
    () => nemesis.restart(),
    () => nemesis.stepClocks(),
    () => nemesis.stopEngines(),
  ]
  for (const actor of actors)
    void actor().catch((error: unknown) =>
      ledger.violate(`an actor failed: ${(error as Error).stack ?? String(error)}`),
    )
}
