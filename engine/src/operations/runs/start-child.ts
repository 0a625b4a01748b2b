// Starts a run that another run waits for. A repeat finds the first: the parent may have died before it could note that it had asked.
import { childKeyOf } from "../../model/instances/child-ending.ts"
import type { Awaiting } from "../../model/instances/instance.ts"
import type { HeldLease } from "../../store/jobs/jobs.ts"
import { shareRun } from "../../store/runs/run-lease.ts"
import type { JsonObject } from "../../support/json.ts"
import { takeIntake } from "../instances/start/take-intake.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { leaseLost } from "./record-step.ts"

export interface NewChild {
  readonly definitionId: string
  readonly payload: JsonObject
  /** The step of the parent that waits for it. */
  readonly step: string
  readonly trace: string | undefined
}

/** Under the parent's lease: a child of a run that was cancelled meanwhile would go on without anyone to wait for it. */
export async function startChild(kernel: Kernel, lease: HeldLease, child: NewChild): Promise<void> {
  const { instanceId } = lease
  const { step, ...start } = child
  const awaitedBy: Awaiting = { instanceId, step }
  const request = { ...start, key: childKeyOf(instanceId, step), awaitedBy, parentId: instanceId, actor: "engine" }
  await kernel.db.transaction(async (tx) => {
    if (!(await shareRun(tx, lease))) throw leaseLost(lease)
    await takeIntake(kernel, request, tx)
  })
}
