// Kills a run at every point at which a process can die, one point per run, and demands that it ends as if nothing had happened. Seeds
// go on from there: several deaths in one run, where the seed says.
import { isDeepStrictEqual } from "node:util"
import type { AnyWorkflow, PayloadOf, ResultOf } from "../library/authoring/workflow.ts"
import { inCatalogue } from "../library/running/catalogue-errors.ts"
import { Workers } from "../library/running/workers.ts"
import { CrashPlan, deathAt, deathsBySeed } from "./crash-plan.ts"
import { describeDifference } from "./describe-difference.ts"
import { type Answers, driveRun } from "./drive-run.ts"
import { replaceSteps } from "./replace-steps.ts"
import type { RunView } from "./run-view.ts"
import { noSuchStep, type Stubs, stub } from "./stub.ts"
import { openTestEngine, type PrivateEngine, type TestEngineOptions } from "./test-engine.ts"

export interface CrashSweepOptions<Of extends AnyWorkflow> extends Pick<TestEngineOptions, "database">, Answers {
  readonly stubs?: Stubs<Of>
  /** Workflows that this one starts. They are worked, and not killed. */
  readonly children?: readonly AnyWorkflow[]
  /** Called before every run: put back what lies outside the workflow. */
  readonly prepare?: () => unknown
  /** How many further runs there are, each with up to three deaths at points that its seed draws: 1, 2, … */
  readonly seeds?: number
  /** Only this seed: to run again what has failed. */
  readonly seed?: number
  /** How the undisturbed run is to end; COMPLETED unless given. One that ends otherwise is no measure for the others. */
  readonly status?: "COMPLETED" | "FAILED" | "CANCELLED"
  /** What must be the same; the status and the variables unless given. */
  readonly outcome?: (run: RunView<ResultOf<Of>>) => unknown
}

export interface CrashReport {
  /** The outcome of the undisturbed run. */
  readonly outcome: unknown
  readonly points: readonly SweptPoint[]
  readonly seeds: readonly SweptSeed[]
}

export interface SweptSeed {
  readonly seed: number
  /** Where processes died, in this order. */
  readonly deaths: readonly string[]
}

export interface SweptPoint {
  /** Such as "after chargeCard". */
  readonly point: string
  /** How often each step was called in the run that was killed there. */
  readonly attempts: Readonly<Record<string, number>>
}

interface Ended {
  readonly plan: CrashPlan
  readonly view: RunView
  readonly outcome: unknown
}

export class CrashSweepError extends Error {
  override name = "CrashSweepError"
}

// Not one of the engine's living workers: its lease is left to run out.
const VICTIM = "crash-sweep"

export async function crashSweep<Of extends AnyWorkflow>(
  workflow: Of,
  input: PayloadOf<Of>,
  options: CrashSweepOptions<Of> = {},
): Promise<CrashReport> {
  const engine = await openTestEngine({ database: options.database })
  try {
    return await inCatalogue(sweep(workflow, (plan) => runOnce(engine, workflow, input, options, plan), options))
  } finally {
    await engine.close()
  }
}

type Run = (plan: CrashPlan) => Promise<Ended>

async function sweep<Of extends AnyWorkflow>(workflow: Of, run: Run, options: CrashSweepOptions<Of>) {
  const { stubs, seed, seeds = 0 } = options
  const undisturbed = await run(new CrashPlan())
  expectStatus(workflow, undisturbed, options.status)
  for (const name of Object.keys(stubs ?? {})) expectCalled(workflow, undisturbed.plan, name)
  expectSame(workflow, undisturbed, await run(new CrashPlan()), "two undisturbed runs ended differently", REPEAT)
  const swept = { workflow, run, undisturbed }
  const points = seed === undefined ? await sweepPoints(swept) : []
  const drawn = seed === undefined ? Array.from({ length: seeds }, (_, at) => at + 1) : [seed]
  return { outcome: undisturbed.outcome, points, seeds: await sweepSeeds(swept, drawn) }
}

interface Swept {
  readonly workflow: AnyWorkflow
  readonly run: Run
  readonly undisturbed: Ended
}

async function sweepPoints({ workflow, run, undisturbed }: Swept): Promise<SweptPoint[]> {
  const points: SweptPoint[] = []
  for (const point of undisturbed.plan.points) {
    const killed = await run(new CrashPlan(deathAt(point)))
    if (killed.plan.struck.length === 0) throw fault(workflow, `the point "${point}" was not met again`, REPEAT)
    expectSame(workflow, undisturbed, killed, `killed ${point}, the run ended differently`, callsOf(killed))
    points.push({ point, attempts: killed.plan.calls })
  }
  return points
}

async function sweepSeeds({ workflow, run, undisturbed }: Swept, seeds: readonly number[]): Promise<SweptSeed[]> {
  const swept: SweptSeed[] = []
  for (const seed of seeds) {
    const killed = await run(new CrashPlan(deathsBySeed(seed, undisturbed.plan.points.length)))
    const deaths = killed.plan.struck
    const what = `seed ${seed}, killed ${deaths.join(", then ") || "nowhere"}, the run ended differently`
    expectSame(workflow, undisturbed, killed, what, `${callsOf(killed)}\nThe same again: { seed: ${seed} }`)
    swept.push({ seed, deaths })
  }
  return swept
}

async function runOnce<Of extends AnyWorkflow>(
  engine: PrivateEngine,
  workflow: Of,
  input: PayloadOf<Of>,
  options: CrashSweepOptions<Of>,
  plan: CrashPlan,
): Promise<Ended> {
  const { stubs, children = [], prepare, outcome = statusAndVariables } = options
  await prepare?.()
  const { id } = await engine.mill.start(workflow, input)
  const watched = replaceSteps(stubs ? stub(workflow, stubs) : workflow, plan.around)
  const workers = new Workers(
    engine.core.kernel,
    VICTIM,
    (place, what, job) => job.instanceId === id && plan.diesAt(place, what, job),
  )
  const view = await driveRun(engine, id, () => workers.drain([watched, ...children], {}), options)
  if (plan.changedKey) throw fault(workflow, plan.changedKey)
  return { plan, view, outcome: comparable(await outcome(view as RunView<ResultOf<Of>>), id) }
}

const statusAndVariables = ({ status, variables, failureReason }: RunView): unknown => ({
  status,
  variables,
  failureReason,
})

/** JSON, with the same id for every run: keys hold the run's id. */
const comparable = (outcome: unknown, id: string): unknown =>
  outcome === undefined ? undefined : JSON.parse(JSON.stringify(outcome).replaceAll(id, "<run>"))

const REPEAT =
  "A sweep compares runs: put back what lies outside the workflow in `prepare`, or say with `outcome` what must be the same."

function expectStatus(workflow: AnyWorkflow, { view }: Ended, expected: RunView["status"] = "COMPLETED"): void {
  const { status, failureReason } = view
  if (status === expected) return
  const why = failureReason ? `: ${failureReason}` : ""
  throw fault(workflow, `the undisturbed run ended ${status}${why}`, MEASURE)
}

const MEASURE =
  'Give it what it waits for as `signals` and `tasks`. Where it is to end otherwise, say so: { status: "FAILED" }, or whichever it is.'

function expectSame(workflow: AnyWorkflow, expected: Ended, found: Ended, what: string, advice: string): void {
  if (isDeepStrictEqual(expected.outcome, found.outcome)) return
  throw fault(workflow, `${what}:\n${describeDifference(expected.outcome, found.outcome)}`, advice)
}

function expectCalled(workflow: AnyWorkflow, { calls }: CrashPlan, stubbed: string): void {
  const names = Object.keys(calls).map((step) => step.split("/")[0] as string)
  if (workflow.kind === "function" && !names.includes(stubbed)) throw noSuchStep(workflow.name, stubbed, names)
}

const callsOf = ({ plan }: Ended): string =>
  `Steps called: ${Object.entries(plan.calls)
    .map(([step, calls]) => `${step} ${calls}×`)
    .join(", ")}.`

const fault = ({ name }: AnyWorkflow, ...lines: readonly string[]): CrashSweepError =>
  new CrashSweepError(`workflow ${name}: ${lines.join("\n")}`)
