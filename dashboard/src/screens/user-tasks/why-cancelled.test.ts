import { expect, test } from "vitest"
import type { AuditLine } from "../../api/audit.ts"
import type { UserTask } from "../../api/user-tasks.ts"
import { whyCancelled } from "./why-cancelled.ts"

const at = (second: number): string => `2025-03-01T09:32:0${second}.000Z`
const task = { stepId: "approve", completedAt: at(5) } as UserTask
const line = (second: number, kind: string, detail: AuditLine["detail"] = {}): AuditLine => ({
  seq: second,
  at: at(second),
  actor: "ann",
  kind,
  detail,
})
const fired = (second: number, stepId: string, interrupting = true) =>
  line(second, "TIMER_FIRED", { stepId, interrupting, targetStepId: "escalate" })

test("its own timer is the reason, before the end of the instance that it led to", () => {
  const lines = [fired(5, "approve"), line(5, "INSTANCE_COMPLETED")]
  expect(whyCancelled(task, lines)).toBe("its timer fired, and the instance went on with escalate")
})

test("timers of other steps, those beside it, and what was before it ended are not", () => {
  const lines = [fired(3, "approve"), fired(5, "pay"), fired(5, "approve", false)]
  expect(whyCancelled(task, lines)).toBeUndefined()
})

test.each([
  ["INSTANCE_CANCELLED", { reason: "customer left" }, "the instance was cancelled by ann: customer left"],
  ["INSTANCE_CANCELLED", {}, "the instance was cancelled by ann"],
  ["INSTANCE_FAILED", { reason: "card declined" }, "the instance failed: card declined"],
  ["INSTANCE_COMPLETED", {}, "the instance completed without it"],
  ["TIMER_FIRED", { timeout: "deadline" }, "the instance missed its deadline"],
])("%s %j", (kind, detail, words) => {
  expect(whyCancelled(task, [line(5, kind, detail)])).toBe(words)
})
