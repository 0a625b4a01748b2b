// The events of a simulation, with their weights, and those that share a draft.
import fc from "fast-check"
import type { OpenStep } from "../instance.ts"
import { cancel, completeTask, fire, signal, sweep } from "./items.ts"
import { again, decide, mistake, stop, wake } from "./people-events.ts"
import { at, type Play, type Simulation } from "./simulation.ts"
import { release, ring, stale, tick } from "./timer-events.ts"
import { claim, duplicate, forged, lastDelivery, late, lose, outlive, report, reportOf, work } from "./worker-events.ts"
import type { Item } from "./world.ts"

export interface Event {
  readonly kind: keyof typeof PLAYS
  /** Which of the candidates. */
  readonly pick: number
  /** 0 to 99: how it goes. */
  readonly roll: number
}

/** Several events in one draft, each judged by what was read before the first of them. */
const batch: Play = (simulation, pick, roll) => {
  const { world } = simulation
  if (roll % 3 > 0)
    for (const { execution } of simulation.jobs("ready")) world.claim(execution, `worker-${execution % 3}`)
  const items = world.tables.instance.state.open.flatMap((open) => meetings(simulation, open, pick, roll))
  for (const { execution, timer } of simulation.dueTimers()) items.push(fire(execution, timer), fire(execution, timer))
  // Also of steps that only an earlier event of the batch opens.
  for (const type of ["USER_TASK", "WAIT"] as const) {
    const stepId = at(simulation.stepIds(type, 99), pick)
    if (stepId !== undefined) items.push(type === "WAIT" ? signal(stepId) : completeTask(stepId))
  }
  if (roll === 0) items.push(cancel("in the middle"))
  const from = pick % Math.max(1, items.length)
  const rotated = [...items.slice(from), ...items.slice(0, from)]
  if (roll % 2 === 1) rotated.reverse()
  const verdicts = world.transact(...rotated.slice(0, 2 + (roll % 5)))
  if (verdicts.filter((verdict) => verdict === "counted").length > 1) simulation.count("batch")
}

/** What can meet on one open step. */
function meetings(simulation: Simulation, { stepId, execution }: OpenStep, pick: number, roll: number): Item[] {
  const { world } = simulation
  const { type } = world.definition.step(stepId)
  if (type === "WAIT") return [signal(stepId, { k0: roll }), signal(stepId, { k1: pick })]
  if (type === "USER_TASK") return [completeTask(stepId, { k2: roll }), completeTask(stepId, { k3: pick })]
  const job = world.tables.jobs.get(execution)
  const delivery = job && lastDelivery(simulation, job)
  if (!delivery) return []
  const reports = [7, 13].map((factor) => reportOf(delivery, pick, (roll * factor + execution) % 100))
  return [...reports, ...((job.leaseUntil ?? Number.POSITIVE_INFINITY) <= world.nowMs ? [sweep(job, world.nowMs)] : [])]
}

const PLAYS = {
  claim,
  report,
  work,
  late,
  duplicate,
  forged,
  lose,
  outlive,
  tick,
  release,
  ring,
  stale,
  wake,
  decide,
  mistake,
  stop,
  again,
  batch,
}

const WEIGHTS: Readonly<Record<keyof typeof PLAYS, number>> = {
  claim: 8,
  report: 6,
  work: 14,
  late: 4,
  duplicate: 2,
  forged: 1,
  lose: 4,
  outlive: 2,
  tick: 2,
  release: 3,
  ring: 6,
  stale: 1,
  wake: 5,
  decide: 5,
  mistake: 1,
  stop: 1,
  again: 5,
  batch: 10,
}

const kinds = Object.keys(PLAYS) as (keyof typeof PLAYS)[]

const arbitraryEvent: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom(...kinds.flatMap((kind) => Array<keyof typeof PLAYS>(WEIGHTS[kind]).fill(kind))),
  pick: fc.nat({ max: 999 }),
  roll: fc.nat({ max: 99 }),
})

export const arbitraryEvents: fc.Arbitrary<Event[]> = fc.noBias(
  fc.array(arbitraryEvent, { maxLength: 60, size: "max" }),
)

export const play = (simulation: Simulation, { kind, pick, roll }: Event): void =>
  simulation.run(() => PLAYS[kind](simulation, pick, roll))
