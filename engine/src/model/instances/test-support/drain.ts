// After the faults have stopped: workers that succeed and people who answer bring every instance to its end.
import { complete, completeTask, signal } from "./items.ts"
import { must } from "./must.ts"
import type { World } from "./world.ts"

const MOST_ROUNDS = 2_000

/** L1: nothing but the open work itself is needed, not even a timer. */
export function drain(world: World): void {
  for (let round = 0; world.isLive; round++) {
    must("S10", round < MOST_ROUNDS, () => `not finished after ${MOST_ROUNDS} rounds of work`)
    const { writes } = world.tables
    moveOne(world)
    must("S10", world.tables.writes > writes, () => "nothing is left that could move the instance")
  }
}

function moveOne(world: World): void {
  const [open] = world.tables.instance.state.open
  if (!open) return
  const { type } = world.definition.step(open.stepId)
  if (type === "WAIT") world.transact(signal(open.stepId))
  else if (type === "USER_TASK") world.transact(completeTask(open.stepId))
  else completeJob(world, open.execution)
}

function completeJob(world: World, execution: number): void {
  const job = world.tables.jobs.get(execution)
  world.nowMs = Math.max(world.nowMs, job?.visibleAt ?? 0)
  world.release()
  const last = world.deliveries.find((d) => d.execution === execution && d.token.epoch === job?.epoch)
  const delivery = job?.status === "leased" && last ? last : world.claim(execution, "worker-0")
  world.transact(complete(delivery, { v0: 0 }))
}
