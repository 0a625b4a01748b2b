// The children that a run has asked for, by the step that asked for each.
import { childKeyOf } from "../../model/instances/child-ending.ts"
import type { RunStepDetail } from "../../model/instances/plan.ts"
import { listChildren } from "../../store/instances/intake.ts"
import type { RecordedStepRow } from "../../store/runs/run-steps.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** A child is found by the key that its parent has given it. */
export async function childrenOf(
  kernel: Kernel,
  instanceId: string,
  recorded: readonly Pick<RecordedStepRow, "name" | "detail">[],
): Promise<ReadonlyMap<string, string>> {
  const asked = recorded.flatMap(({ name, detail }) => {
    const { child } = JSON.parse(detail ?? "{}") as RunStepDetail
    return child === undefined ? [] : [{ step: name, definitionId: child, key: childKeyOf(instanceId, name) }]
  })
  if (asked.length === 0) return new Map<string, string>()
  return new Map((await listChildren(kernel.db, asked)).map(({ step, instance_id }) => [step, instance_id]))
}
