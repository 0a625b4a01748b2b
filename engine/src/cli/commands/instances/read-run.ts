// Reads one run as it is shown: the instance, its steps, and why it does not move while it has not ended.
import type { ShownRun } from "../../drawing/run-steps.ts"
import type { RemoteEngine } from "../../remote-engine.ts"
import { isLive } from "./find-instance.ts"

/** The instance first: of one that has ended the steps are then all there are. */
export async function readRun(engine: RemoteEngine, instanceId: string): Promise<ShownRun> {
  const path = { instanceId }
  const instance = await engine.call("getInstance", { path })
  const [{ items: steps, currentSteps }, waiting] = await Promise.all([
    engine.call("getInstanceSteps", { path }),
    isLive(instance) ? engine.call("getInstanceWaiting", { path }) : undefined,
  ])
  return { ...instance, currentStepIds: currentSteps, steps, ...(waiting ? { waiting: waiting.reasons } : {}) }
}
