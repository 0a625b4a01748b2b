import { expect, test } from "vitest"
import type { StepExecution } from "./instance.ts"
import { failedStepOf } from "./instances.ts"

const ID = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
const step = (stepId: string, status: StepExecution["status"], endedAt: string, id = `${ID}-${stepId}`) => ({
  id,
  stepId,
  status,
  endedAt,
})

test("the step to retry is the last that failed: those before let the instance go on", () => {
  const early = step("mail", "FAILED", "2025-03-01T09:00:00.000Z")
  const last = step("charge", "FAILED", "2025-03-01T09:00:02.000Z")
  const skipped = step("ship", "SKIPPED", "2025-03-01T09:00:03.000Z")
  expect(failedStepOf(ID, [last, early, skipped])).toBe("charge")
  expect(failedStepOf(ID, [skipped])).toBeUndefined()
})

test("what the run of a list recorded by itself is no execution, and cannot be retried", () => {
  const run = step("list", "FAILED", "2025-03-01T09:00:00.000Z")
  const recorded = step("charge", "FAILED", "2025-03-01T09:00:01.000Z", `${ID}/charge`)
  expect(failedStepOf(ID, [run, recorded])).toBe("list")
})
