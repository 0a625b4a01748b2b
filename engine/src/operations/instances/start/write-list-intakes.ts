// Intakes of step lists: one statement takes the keys and writes the runs with their jobs, so that an intake costs one round trip.
import type { Transaction } from "../../../db/transaction.ts"
import { type IntakeRow, insertIntake } from "../../../store/instances/intake.ts"
import { assert } from "../../../support/assert.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import { wakeQueues } from "../../jobs/claim/wake-queues.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { METER_MS } from "../../kernel/loops.ts"
import type { PlannedStart } from "./planned-start.ts"
import { byIntakeKey } from "./take-keys.ts"
import { countTakenIn } from "./write-starts.ts"

/** In the order of their keys: unsorted batches of hedged duplicates would deadlock. */
export function writeListIntakes(kernel: Kernel, tx: Transaction, starts: readonly PlannedStart[]): void {
  const rows = [...starts].sort(byIntakeKey).map((start) => rowOf(kernel, start))
  insertIntake(tx, rows, kernel.settings.auditLogEnabled, (fresh) => {
    // Which of them were new is not told: in a batch with repeats some may be counted at another's door.
    countTakenIn(
      kernel,
      starts.slice(0, fresh).map(({ prepared }) => prepared),
    )
    if (fresh === 0) return
    wakeQueues(
      kernel,
      rows.map((row) => row.queueId),
    )
    kernel.nudge("meter", METER_MS)
  })
}

function rowOf(kernel: Kernel, { row, planned, prepared }: PlannedStart): IntakeRow {
  const [job] = planned.plan.newJobs
  assert(job && prepared.intakeKey !== undefined, "a step list that is taken in has a key, and begins with its job")
  const { priority, jobType, downstream, retries } = job
  const queueId = queuesOf(kernel).idOf({ priority, jobType, downstream, definitionId: planned.definition.id })
  const deadlineMs = planned.definition.deadlineMs ?? null
  return { ...row, key: prepared.intakeKey, actor: prepared.request.actor, queueId, retries, deadlineMs }
}
