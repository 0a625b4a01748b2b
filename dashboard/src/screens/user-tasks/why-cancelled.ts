// Why a user task was cancelled, in words: its row does not say, the audit trail of its instance does.
import type { AuditLine } from "../../api/audit.ts"
import type { UserTask } from "../../api/user-tasks.ts"

/** What can end an open task besides a person. */
export const ENDINGS = ["TIMER_FIRED", "INSTANCE_CANCELLED", "INSTANCE_FAILED", "INSTANCE_COMPLETED"] as const

/** `lines` are in order. The first that ends a task, when this one ended: a timer before the end of the instance that it led to. */
export function whyCancelled(task: UserTask, lines: readonly AuditLine[]): string | undefined {
  const endedAt = Date.parse(task.completedAt ?? "")
  for (const line of lines) {
    const words = Date.parse(line.at) < endedAt ? undefined : wordsFor(task, line)
    if (words !== undefined) return words
  }
  return undefined
}

function wordsFor({ stepId }: UserTask, { kind, actor, detail }: AuditLine): string | undefined {
  const reason = detail.reason === undefined ? "" : `: ${detail.reason}`
  switch (kind) {
    case "TIMER_FIRED":
      if (detail.timeout === "deadline") return "the instance missed its deadline"
      if (detail.stepId !== stepId || detail.interrupting !== true) return undefined
      return `its timer fired, and the instance went on with ${detail.targetStepId}`
    case "INSTANCE_CANCELLED":
      return `the instance was cancelled by ${actor}${reason}`
    case "INSTANCE_FAILED":
      return `the instance failed${reason}`
    case "INSTANCE_COMPLETED":
      return "the instance completed without it"
    default:
      return undefined
  }
}
