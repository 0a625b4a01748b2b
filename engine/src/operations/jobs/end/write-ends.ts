// Writes what the end of attempts leaves, whichever kind of job: the records of the attempts, the jobs that are tried again, and
// the end of those that are over. An instance is advanced by its plan, in the same transaction. Only the completions of standalone
// jobs do not come by here: complete-standalone.ts has one statement of its own for a batch of them.

import type { Transaction } from "../../../db/transaction.ts"
import { insertDeadSteps, type NewDeadStep } from "../../../store/dead-letters/dead-letters.ts"
import { type AttemptEntry, insertAttempts } from "../../../store/instances/history.ts"
import {
  deleteJobs,
  type RequeuedJobRow,
  requeueJobs,
  type SpentRetryRow,
  spendRetries,
} from "../../../store/jobs/jobs.ts"
import { type EndedJob, endJobs } from "../../../store/jobs/standalone-jobs.ts"
import type { ExecutionKey } from "../../../support/ids.ts"
import { openQueuesOf } from "../../flow/open-queues.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { wakeQueues } from "../claim/wake-queues.ts"

interface Ends {
  readonly attempts?: readonly AttemptEntry[]
  readonly requeued?: readonly RequeuedJobRow[]
  readonly spent?: readonly SpentRetryRow[]
  readonly steps?: EndedSteps
  readonly standalone?: readonly EndedJob[]
}

/** A step's job is only deleted: its history is the closed step, and what a replay needs is kept with the instance. */
interface EndedSteps {
  readonly over: readonly ExecutionKey[]
  readonly dead: readonly NewDeadStep[]
}

const NO_STEPS: EndedSteps = { over: [], dead: [] }

export function writeEnds(kernel: Kernel, tx: Transaction, ends: Ends): void {
  const { attempts = [], requeued = [], spent = [], steps = NO_STEPS, standalone = [] } = ends
  if (attempts.length > 0) insertAttempts(tx, attempts)
  // Before the jobs are deleted: a dead letter takes queue and attempts from the job's row.
  if (steps.dead.length > 0) insertDeadSteps(tx, steps.dead)
  if (steps.over.length > 0) deleteJobs(tx, steps.over, (queueIds) => openQueuesOf(kernel).freed(queueIds))
  // A standalone job's payload and options are nowhere but in its row: one statement makes history and dead letter of it.
  if (standalone.length > 0) endJobs(tx, standalone)
  if (requeued.length > 0) requeueJobs(tx, requeued, (ids) => wakeQueues(kernel, ids))
  if (spent.length > 0) spendRetries(tx, spent)
}
