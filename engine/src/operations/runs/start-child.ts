// Starts a run that another run waits for. A repeat finds the first: the parent may have died before it could note that it had asked.
import type { Awaiting } from "../../model/instances/instance.ts"
import type { JsonObject } from "../../support/json.ts"
import { takeIntake } from "../instances/start/take-intake.ts"
import type { Kernel } from "../kernel/kernel.ts"

export async function startChild(
  kernel: Kernel,
  definitionId: string,
  payload: JsonObject,
  awaitedBy: Awaiting,
  trace: string | undefined,
): Promise<void> {
  const { instanceId, step } = awaitedBy
  const key = `${instanceId}/${step}`
  await takeIntake(kernel, { definitionId, key, payload, awaitedBy, parentId: instanceId, actor: "engine", trace })
}
