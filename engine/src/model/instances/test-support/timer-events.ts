// What time does: it passes, releases held jobs, and makes timers due.
import { isTerminal } from "../instance-machine.ts"
import { fire } from "./items.ts"
import { must } from "./must.ts"
import { at, type Play, type Simulation } from "./simulation.ts"
import type { TimerRow } from "./tables.ts"
import type { World } from "./world.ts"

export const tick: Play = ({ world }, _pick, roll) => {
  world.nowMs += roll * 100
}

export const release: Play = (simulation, _pick, roll) => {
  const { world } = simulation
  if (roll < 50) world.nowMs = Math.max(world.nowMs, ...simulation.jobs("held").map((job) => job.visibleAt ?? 0))
  world.release()
}

/** The next timer, when it is due. */
export const ring: Play = (simulation, pick, roll) => {
  const { world } = simulation
  const rows = [...world.tables.timers.values()].sort((a, b) => a.dueAt - b.dueAt)
  if (simulation.dueTimers().length === 0 && roll < 60 && rows[0] && world.isLive)
    world.nowMs = Math.max(world.nowMs, rows[0].dueAt)
  const timer = at(simulation.dueTimers(), pick)
  if (timer) ringOne(simulation, timer)
}

function ringOne(simulation: Simulation, { execution, timer }: TimerRow): void {
  const { world } = simulation
  const open = world.tables.instance.state.open.find((step) => step.execution === execution)
  const boundary =
    open && timer.startsWith("boundary:")
      ? world.definition.boundaryTimer(world.definition.step(open.stepId), Number(timer.slice(9)))
      : undefined
  const entered = boundary && entriesOf(world, boundary.targetStepId)
  const wasClaimed = (world.tables.jobs.get(execution)?.epoch ?? 0) > 0
  simulation.alone(fire(execution, timer), true, "S12")
  simulation.count(`timer ${boundary ? (boundary.interrupting ? "interrupts" : "beside") : timer}`)
  if (timer === "queue" && wasClaimed)
    must("C-128", world.tables.jobs.has(execution), () => `timeout.queue struck ${execution}, which a worker had taken`)
  if (timer === "deadline")
    must("C-128", world.tables.instance.status === "FAILED", () => "missed its deadline and goes on")
  if (!boundary || !open) return
  const closed = world.tables.history.get(execution)
  if (boundary.interrupting)
    must("C-77", closed?.failureReason === "interrupted by boundary timer", () => `${open.stepId} was not interrupted`)
  else
    must(
      "C-77",
      isTerminal(world.tables.instance.status) || !closed,
      () => `${open.stepId} was closed by a timer beside it`,
    )
  const joins = world.definition.step(boundary.targetStepId).type === "JOIN_GATEWAY"
  must(
    "C-77",
    joins || entriesOf(world, boundary.targetStepId) > (entered ?? 0),
    () => `${boundary.targetStepId} was not entered`,
  )
}

function entriesOf({ tables }: World, stepId: string): number {
  const closed = [...tables.history.values()].filter((step) => step.stepId === stepId).length
  return closed + tables.instance.state.open.filter((step) => step.stepId === stepId).length
}

/** A timer that has fired, or whose step has been left, does nothing. */
export const stale: Play = (simulation, pick) => {
  const row = at(simulation.timersSeen, pick)
  if (!row || simulation.world.tables.timers.has(`${row.execution}/${row.timer}`)) return
  simulation.count("stale timer")
  simulation.alone(fire(row.execution, row.timer), false, "S12")
}
