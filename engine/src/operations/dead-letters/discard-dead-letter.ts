// Discards a dead letter: the entry is gone, its job or step stays FAILED, and the operator is noted.
import type { Transaction } from "../../db/transaction.ts"
import { type Reach, reachedByLetter } from "../../model/people/reach.ts"
import { deleteDeadLetter, lockDeadLetter, noteDeadLetter } from "../../store/dead-letters/dead-letters.ts"
import { jobKeyOf } from "../../store/jobs/job-columns.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { isUlid } from "../../support/ids.ts"
import { jobIdOf } from "../../support/job-key.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { noSuchLetter, refuseGone } from "./read-dead-letters.ts"

export interface DeadLetterRequest {
  readonly id: string
  readonly actor: string
  /** Has to go as far as what the letter belongs to. */
  readonly reach: Reach
  readonly requestKey?: RequestKey | undefined
}

export async function discardDeadLetter(
  kernel: Kernel,
  { requestKey, ...request }: DeadLetterRequest,
): Promise<Done<void>> {
  if (!isUlid(request.id)) throw noSuchLetter(request.id)
  return kernel.db.transaction((tx) => once(tx, requestKey, () => discardWithin(tx, request)))
}

/** By the id of the entry, or of the standalone job that it is about. */
export async function discardWithin(tx: Transaction, { id: named, actor, reach }: DeadLetterRequest): Promise<void> {
  const [, letter] = await Promise.all([setLockTimeout(tx), lockDeadLetter(tx, named)])
  if (!letter) return refuseGone(tx, named)
  reach.must("write", reachedByLetter(letter))
  const { id } = letter
  const detail = { source: letter.source, jobId: jobIdOf(jobKeyOf(letter)), type: letter.job_type, error: letter.error }
  deleteDeadLetter(tx, id)
  noteDeadLetter(tx, letter, { actor, kind: "dead-letter-discarded" }, detail)
}
