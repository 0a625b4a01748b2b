// What an instance has of ours is in its message too.
import type { wire } from "@millrace/sdk"
import { WorkflowInstance } from "@millrace/sdk/proto"
import { expect, test } from "vitest"
import { instanceMessage } from "./instances.ts"

const instance: wire.Instance = {
  id: "01JN8Z3V5E8Q2R7W4Y6T9A1B3C",
  definitionId: "checkout",
  definitionVersion: 2,
  status: "FAILED",
  currentStepIds: [],
  variables: { n: 1 },
  startedAt: "2025-03-01T09:31:00.000Z",
  failureReason: "no stock",
  parentId: "01JN8Z3V5E8Q2R7W4Y6T9A1B3D",
  undoneBy: "01JN8Z3V5E8Q2R7W4Y6T9A1B3E",
  restartOf: "01JN8Z3V5E8Q2R7W4Y6T9A1B3D",
  restartedAs: "01JN8Z3V5E8Q2R7W4Y6T9A1B3F",
  key: "order-1001",
  priority: "normal",
}

test("W-14: the runs that undo an instance and that take its place are in its message, as on REST", () => {
  const message = instanceMessage(instance, { warn: () => {} })
  const read = WorkflowInstance.decode(WorkflowInstance.encode(message).finish())
  for (const name of ["undoneBy", "parentId", "key", "restartOf", "restartedAs"] as const)
    expect([name, read[name]]).toEqual([name, instance[name]])
})
