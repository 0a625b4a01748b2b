// What people do: signal, complete, err, cancel, retry.
import type { CutStep } from "../instance.ts"
import { cancel, completeTask, signal } from "./items.ts"
import { must } from "./must.ts"
import { at, deltaOf, type Play, type Simulation } from "./simulation.ts"
import type { World } from "./world.ts"

const isOpen = ({ world }: Simulation, stepId: string): boolean =>
  world.isLive && world.tables.instance.state.open.some((step) => step.stepId === stepId)

function isToBeKept({ world }: Simulation, stepId: string): boolean {
  const { definition, isLive } = world
  const { open, kept = [] } = world.tables.instance.state
  const step = definition.step(stepId)
  if (!isLive || step.type !== "WAIT" || !step.keepEarly) return false
  const isAhead = open.some((one) => definition.leadsTo(one.stepId, stepId))
  return isAhead && (definition.mayRepeat || kept.every((one) => one.stepId !== stepId))
}

export const wake: Play = (simulation, pick, roll) => {
  const stepId = at(simulation.stepIds("WAIT", roll), pick)
  if (stepId === undefined) return
  const isKept = !isOpen(simulation, stepId) && isToBeKept(simulation, stepId)
  const counts = isKept || isOpen(simulation, stepId)
  if (counts) simulation.count(isKept ? "early signal" : "signal")
  simulation.alone(signal(stepId, deltaOf(pick, roll) ?? {}), counts, "C-74")
}

export const decide: Play = (simulation, pick, roll) => {
  const stepId = at(simulation.stepIds("USER_TASK", roll), pick)
  if (stepId === undefined) return
  const counts = isOpen(simulation, stepId)
  if (counts) simulation.count("user task")
  simulation.alone(completeTask(stepId, { [`k${pick % 5}`]: roll }), counts, "C-73")
}

/** A step of the wrong kind, or none at all. */
export const mistake: Play = (simulation, pick, roll) => {
  const steps = simulation.world.definition.definition.steps
  const stepId = roll < 30 ? "hasOwnProperty" : (at(steps, pick)?.id ?? "")
  const isWait = steps.some((step) => step.id === stepId && step.type === "WAIT")
  if (!isWait) simulation.alone(signal(stepId), false, "C-30")
}

export const stop: Play = (simulation, _pick, roll) => {
  if (roll >= 20) return
  const { isLive } = simulation.world
  simulation.alone(cancel(roll % 2 === 0 ? "changed my mind" : undefined), isLive, "S15")
  if (isLive) simulation.count("cancel")
}

export const again: Play = (simulation, pick, roll) => {
  const { world } = simulation
  const { status, state } = world.tables.instance
  const failed = (state.cut ?? []).filter((step) => step.failed).map((step) => step.stepId)
  const stepId =
    at(status === "FAILED" && roll < 90 ? failed : world.definition.definition.steps.map((step) => step.id), pick) ?? ""
  const counts = status === "FAILED" && failed.includes(stepId)
  const executions = state.executions
  const verdict = world.retry(stepId, roll % 3 === 0 ? { v0: 0, v1: 1, v2: 2 } : undefined)
  must("C-71", (verdict === "counted") === counts, () => `retry of ${stepId} while ${status}: ${String(verdict)}`)
  if (!counts) return
  simulation.count("retry")
  if (world.isLive) expectResumed(world, state.cut ?? [], executions)
}

/** Every token that the failure had stopped is on its way again, as one attempt more. */
function expectResumed({ tables }: World, cut: readonly CutStep[], executions: number): void {
  const rows = [...tables.history.values(), ...tables.instance.state.open]
  const fresh = rows.filter((step) => step.execution > executions)
  for (const { stepId, attempt } of cut) {
    const resumed = fresh.some((step) => step.stepId === stepId && step.attempt > attempt)
    must("C-71", resumed || attempt === 0, () => `${stepId} did not resume after attempt ${attempt}`)
  }
}
