// Reads one run as it is shown: the instance, its steps, and why it does not move while it has not ended.
import type { ShownRun } from "../../drawing/run-steps.ts"
import { given } from "../../options/values.ts"
import type { RemoteEngine } from "../../remote-engine.ts"
import { isLive } from "./find-instance.ts"

/** The instance first: of one that has ended the steps are then all there are. */
export async function readRun(engine: RemoteEngine, instanceId: string): Promise<ShownRun> {
  const path = { instanceId }
  const instance = await engine.call("getInstance", { path })
  const hasCompleted = instance.status === "COMPLETED"
  const [{ items: steps, currentSteps }, waiting, next] = await Promise.all([
    engine.call("getInstanceSteps", { path }),
    // One that has completed may wait for the start of the next.
    isLive(instance) || hasCompleted ? engine.call("getInstanceWaiting", { path }) : undefined,
    hasCompleted ? readNext(engine, instanceId) : undefined,
  ])
  return {
    ...instance,
    currentStepIds: currentSteps,
    steps,
    ...(waiting && (waiting.reasons.length > 0 || !hasCompleted) ? { waiting: waiting.reasons } : {}),
    ...given({ next }),
  }
}

/** The instance that was started when this one completed, from its trail. Undefined, too, where no trail is kept or the key may not read it. */
async function readNext(engine: RemoteEngine, instanceId: string): Promise<ShownRun["next"]> {
  const trail = await engine.callIfAllowed("getInstanceAudit", { path: { instanceId } })
  const detail = trail?.items.find(({ kind }) => kind === "CHAIN_STARTED")?.detail
  return detail && { instanceId: String(detail.childId), definitionId: String(detail.definitionId) }
}
