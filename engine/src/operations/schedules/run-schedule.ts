// Runs a schedule by hand, the way its next tick would: the same work, the same rules of overlap, the same record.
import { hasSqlState } from "../../db/errors.ts"
import type { Transaction } from "../../db/transaction.ts"
import { type Reach, reachedBySchedule } from "../../model/people/reach.ts"
import { NEWER_VERSION } from "../../store/definitions/definitions.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { conflict } from "../../support/errors.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { lockWithLine } from "./fire-schedules.ts"
import { fireTicks } from "./fire-ticks.ts"
import { noSchedule, type ScheduleRunView, viewOfRun } from "./read-schedules.ts"

export interface RunRequest {
  readonly id: string
  readonly actor: string
  /** Has to go as far as what the schedule starts. */
  readonly reach: Reach
  readonly requestKey?: RequestKey | undefined
  /** Where it is asked for: carried to the workers of what it starts. */
  readonly trace?: string | undefined
}

/** Also of one that is disabled: that is about its ticks. */
export async function runSchedule(kernel: Kernel, request: RunRequest): Promise<Done<ScheduleRunView>> {
  for (;;) {
    try {
      return await kernel.db.transaction((tx) => once(tx, request.requestKey, () => runWithin(kernel, tx, request)))
    } catch (error) {
      // Another process has uploaded a version meanwhile; what this one knew is forgotten.
      if (!hasSqlState(error, NEWER_VERSION)) throw error
    }
  }
}

async function runWithin(kernel: Kernel, tx: Transaction, request: RunRequest): Promise<ScheduleRunView> {
  const { id, actor, reach, trace } = request
  const locked = await lockWithLine(tx, id)
  if (!locked) throw noSchedule(id)
  reach.must("write", reachedBySchedule({ definitionId: locked.schedule.definition_id ?? undefined }))
  const { now } = locked.line
  const due = { missed: [], onTime: [now] }
  const [fired] = await fireTicks({ kernel, tx, ...locked, actor, trace }, "manual", due)
  if (!fired) throw conflict("it was run by hand in this very millisecond")
  const { dueAt, outcome, workId, detail } = fired
  return viewOfRun({ due_at: dueAt, fired_at: now, cause: "manual", outcome, work_id: workId, detail })
}
