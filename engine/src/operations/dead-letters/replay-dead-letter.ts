// Replays a dead letter: a standalone job is enqueued anew, a workflow step retried, and the entry is gone with the same commit.
import type { Transaction } from "../../db/transaction.ts"
import { reachedByLetter } from "../../model/people/reach.ts"
import {
  deleteDeadLetter,
  type LockedDeadLetter,
  lockDeadLetter,
  noteDeadLetter,
  seeDeadLetter,
} from "../../store/dead-letters/dead-letters.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import { executionId, isUlid } from "../../support/ids.ts"
import type { JsonObject } from "../../support/json.ts"
import { retryWithin } from "../instances/retry-instance.ts"
import { type EnqueueRequest, enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { DeadLetterRequest } from "./discard-dead-letter.ts"
import { noSuchLetter, refuseGone } from "./read-dead-letters.ts"

export interface Replayed {
  /** The entry. */
  readonly replayed: string
  /** The job that takes its place; none where the instance failed again before there was one. */
  readonly jobId?: string
}

export async function replayDeadLetter(
  kernel: Kernel,
  { requestKey, ...request }: DeadLetterRequest,
): Promise<Done<Replayed>> {
  if (!isUlid(request.id)) throw noSuchLetter(request.id)
  return kernel.db.transaction((tx) => once(tx, requestKey, () => replayWithin(kernel, tx, request)))
}

/** By the id of the entry, or of the standalone job that it is about. */
export async function replayWithin(
  kernel: Kernel,
  tx: Transaction,
  { id: named, actor, reach }: DeadLetterRequest,
): Promise<Replayed> {
  const [, letter] = await Promise.all([setLockTimeout(tx), seeDeadLetter(tx, named)])
  if (!letter) return refuseGone(tx, named)
  reach.must("write", reachedByLetter(letter))
  const { id } = letter
  const jobId =
    letter.source === "job"
      ? await replayJob(kernel, tx, id, actor)
      : await replayStep(kernel, tx, { id, instanceId: letter.instance_id, stepId: letter.step_id, actor })
  deleteDeadLetter(tx, id)
  noteDeadLetter(tx, letter, { actor, kind: "dead-letter-replayed" }, { source: letter.source, jobId })
  return { replayed: id, ...(jobId === undefined ? {} : { jobId }) }
}

/** What the dead job was given, besides its payload; the budget is spent anew. */
type JobOptions = Pick<EnqueueRequest, "retries" | "retry" | "timeoutMs" | "fairKey" | "limit" | "trace" | "effectKey">

/** Work that was accepted once is never refused for want of room. */
async function replayJob(kernel: Kernel, tx: Transaction, id: string, actor: string): Promise<string> {
  const letter = await lockDeadLetter(tx, id)
  if (!letter) return refuseGone(tx, id)
  const { job } = await enqueueJob(kernel, requestOf(letter, actor), tx)
  return job.id
}

/**
 * The dead job may have had its effect, and only its report was lost: its replay has the same idempotency key, so that the systems that
 * it calls recognise the repeat.
 */
const requestOf = (letter: LockedDeadLetter, actor: string): EnqueueRequest => ({
  effectKey: letter.instance_id,
  ...optionsOf(letter),
  jobType: letter.job_type,
  priority: letter.priority,
  ...(letter.downstream === "" ? {} : { downstream: letter.downstream }),
  payload: letter.payload ?? "{}",
  replayOf: letter.instance_id,
  whenFull: "absorb",
  actor,
})

/** Null is what the job was not given. */
function optionsOf({ options }: LockedDeadLetter): JobOptions {
  const given = Object.entries(JSON.parse(options ?? "{}") as JsonObject)
  return Object.fromEntries(given.filter(([, value]) => value !== null))
}

interface StepReplay {
  readonly id: string
  readonly instanceId: string
  readonly stepId: string
  readonly actor: string
}

/** The instance first and then the entry, as a retry of the step takes them: two that meet do not wait for each other crosswise. */
async function replayStep(
  kernel: Kernel,
  tx: Transaction,
  { id, instanceId, stepId, actor }: StepReplay,
): Promise<string | undefined> {
  const { plan } = await retryWithin(kernel, tx, { instanceId, stepId, variables: undefined, actor })
  if (!(await lockDeadLetter(tx, id))) return refuseGone(tx, id)
  const job = plan.newJobs.find((candidate) => candidate.stepId === stepId)
  return job && executionId(instanceId, job.execution)
}
