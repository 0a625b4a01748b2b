// What workers do: claim, report, report late, report twice, lie, and go away.
import { type Claimant, holds } from "../../jobs/reports.ts"
import { complete, fail, sweep } from "./items.ts"
import { must } from "./must.ts"
import { at, deltaOf, type Play, type Simulation } from "./simulation.ts"
import type { JobRow } from "./tables.ts"
import { type Delivery, type Item, MAX_LOST_LEASES } from "./world.ts"

/** 70 % complete, 20 % fail and may be tried again, 10 % fail for good. */
export function reportOf(delivery: Claimant & { readonly execution: number }, pick: number, roll: number): Item {
  if (roll < 70) return complete(delivery, deltaOf(pick, roll))
  const message = roll % 2 === 0 ? "no luck" : ""
  return fail(delivery, { message, retryable: roll < 90, retryAfterMs: roll % 5 === 0 ? 1_000 : undefined })
}

export const claim: Play = (simulation, pick) => void claimOne(simulation, pick)

function claimOne(simulation: Simulation, pick: number): Delivery | undefined {
  const job = at(simulation.jobs("ready"), pick)
  return job && simulation.world.claim(job.execution, `worker-${pick % 3}`)
}

export function lastDelivery({ world }: Simulation, { execution, epoch }: JobRow): Delivery | undefined {
  return world.deliveries.find((d) => d.execution === execution && d.token.epoch === epoch)
}

export const report: Play = (simulation, pick, roll) => {
  const job = at(simulation.jobs("leased"), pick)
  const delivery = job && lastDelivery(simulation, job)
  if (!delivery) return
  reportAlone(simulation, job, delivery, pick, roll)
}

function reportAlone(simulation: Simulation, job: JobRow, delivery: Delivery, pick: number, roll: number): void {
  const item = reportOf(delivery, pick, roll)
  simulation.alone(item, true, "C-66")
  simulation.accepted.push(item)
  expectReported(simulation, job, roll)
}

function expectReported({ world }: Simulation, job: JobRow, roll: number): void {
  const { execution, retriesLeft } = job
  const after = world.tables.jobs.get(execution)
  const closed = world.tables.history.get(execution)
  if (roll >= 70 && roll < 90 && retriesLeft > 0) {
    must(
      "C-67",
      after && after.status !== "leased" && after.retriesLeft === retriesLeft - 1,
      () => `${execution} was not queued again`,
    )
    must(
      "C-67",
      !closed && after.lostLeases === job.lostLeases,
      () => `${execution}: a retry closed the step or cost a lease`,
    )
    must("S7", after.nonce === null, () => `${execution}: a used token is still good`)
  } else {
    must("C-67", !after && closed, () => `${execution} is still there after its last report`)
    const step = world.definition.step(job.stepId)
    const isPassedOver = "onError" in step && step.onError === "continue"
    const goesOn = roll >= 70 && (isPassedOver || world.definition.errorTarget(step) !== undefined)
    const stopped = world.tables.instance.failureReason
    must("C-67", !goesOn || stopped !== closed.failureReason, () => `${job.stepId} may fail, and stopped the instance`)
    must("C-68", roll < 70 || closed.status === "FAILED", () => `${execution} failed for good and is ${closed.status}`)
  }
}

/** Claim and report at once: what moves an instance on. */
export const work: Play = (simulation, pick, roll) => {
  const delivery = claimOne(simulation, pick)
  const job = delivery && simulation.world.tables.jobs.get(delivery.execution)
  if (delivery && job) reportAlone(simulation, job, delivery, pick, roll)
}

/** A report counts if its token is the last that was made and has not been used. Some give the worker's name alone. */
export const late: Play = (simulation, pick, roll) => {
  const { world } = simulation
  const delivery = at(world.deliveries, pick)
  if (!delivery) return
  if (roll % 7 === 0) return lateByName(simulation, delivery, { pick, roll })
  const job = world.tables.jobs.get(delivery.execution)
  const counts = job?.epoch === delivery.token.epoch && job.nonce !== null
  if (!counts) simulation.count("late report refused")
  else if (job?.status !== "leased") simulation.count("report after a lost lease")
  simulation.alone(reportOf(delivery, pick, roll), counts, "S7")
}

/** Without a token it is enough to have had the job: but for a failure that is to be retried, which counts once. */
function lateByName(simulation: Simulation, delivery: Delivery, { pick, roll }: { pick: number; roll: number }): void {
  const { tables } = simulation.world
  const job = tables.jobs.get(delivery.execution)
  const claimant = { ...delivery, token: undefined }
  const isHolder = job !== undefined && holds(claimant, job)
  const lost = job && tables.lostOf(job.execution, delivery.workerId)
  const isRetryable = roll >= 70 && roll < 90
  const counts = isHolder || (lost !== undefined && (!isRetryable || lost.isLast))
  simulation.alone(reportOf(claimant, pick, roll), counts, "W-03")
  if (!job || isHolder || !counts) return
  simulation.count("report by a former holder")
  if (!isRetryable || job.retriesLeft === 0) return
  const after = tables.jobs.get(job.execution)
  const expected = JSON.stringify({ ...job, retriesLeft: job.retriesLeft - 1 })
  must("W-03", JSON.stringify(after) === expected, () => "a late failure did more to the job than to spend a retry")
  simulation.alone(reportOf(claimant, pick, roll), false, "W-22")
}

/** What was accepted once is sent again. */
export const duplicate: Play = (simulation, pick) => {
  const item = at(simulation.accepted, pick)
  if (!item) return
  simulation.count("duplicate report")
  simulation.alone(item, false, "C-T1")
}

export const forged: Play = (simulation, pick, roll) => {
  const job = at([...simulation.world.tables.jobs.values()], pick)
  if (!job) return
  const nonce = "ffffffff-ffff-4fff-8fff-ffffffffffff"
  const { execution, epoch } = job
  const old = simulation.world.deliveries.find((d) => d.execution === execution && d.token.epoch === epoch)
  const tokens = [{ epoch, nonce }, { epoch: epoch + 1, nonce: old?.token.nonce ?? nonce }, undefined]
  const token = at(tokens, roll)
  const item = reportOf({ execution, workerId: "nobody", token }, pick, roll)
  simulation.alone(item, false, "S7")
}

/** A worker goes away, or works for too long; now and then one after the other. */
export const lose: Play = (simulation, pick, roll) => {
  for (let again = roll >= 90 ? MAX_LOST_LEASES : 0; again >= 0; again--) {
    if (roll % 2 === 0) claimOne(simulation, pick)
    const leased = simulation.jobs("leased").sort((a, b) => b.lostLeases - a.lostLeases)
    const job = at(leased, roll < 70 ? pick : 0)
    if (job) loseOne(simulation, job)
  }
}

/** A worker works for longer than its lease, and reports by its name while another one has the job. */
export const outlive: Play = (simulation, pick, roll) => {
  const { world } = simulation
  claimOne(simulation, pick)
  const job = at(simulation.jobs("leased"), pick)
  const delivery = job && lastDelivery(simulation, job)
  if (!delivery) return
  loseOne(simulation, job)
  if (world.isLive && world.tables.jobs.get(job.execution)?.status === "ready") world.claim(job.execution, "another")
  lateByName(simulation, delivery, { pick, roll })
}

function loseOne(simulation: Simulation, job: JobRow): void {
  const { world } = simulation
  world.nowMs = Math.max(world.nowMs, job.leaseUntil ?? 0)
  const overran = job.runUntil !== null && job.runUntil <= world.nowMs
  simulation.alone(sweep(job, world.nowMs), true, "C-64")
  if (overran) return expectReported(simulation, job, 75)
  const after = world.tables.jobs.get(job.execution)
  if (job.lostLeases < MAX_LOST_LEASES) {
    must(
      "C-64",
      after?.retriesLeft === job.retriesLeft && after.lostLeases === job.lostLeases + 1,
      () => "a lost lease cost a retry",
    )
    must("C-65", after.nonce === job.nonce && after.status === "ready", () => "a lost lease took the token away")
  } else {
    simulation.count("poison pill")
    must("S9", !after && world.tables.history.get(job.execution)?.status === "FAILED", () => "a poison pill goes on")
  }
}
