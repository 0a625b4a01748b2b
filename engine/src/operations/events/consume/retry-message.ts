// One more attempt at a message whose handler has failed: the end of its job commits with what the handler writes and publishes.

import { laneOf } from "../../../model/events/message.ts"
import type { RetriedMessage } from "../../../model/events/retried-message.ts"
import type { Claimant } from "../../../model/jobs/reports.ts"
import { EngineError } from "../../../support/errors.ts"
import { completeHeld } from "../../jobs/end/complete-standalone.ts"
import { failHeld } from "../../jobs/end/fail-standalone.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { Consumer, Unit } from "./consumer.ts"
import { publishDead } from "./dead-messages.ts"
import { advanceLane } from "./lanes.ts"

export interface MessageJob extends Claimant {
  readonly id: string
  /** The attempt at this job: 1, 2, … */
  readonly attempt: number
  readonly retried: RetriedMessage
  /** Aborted when the lease is lost, or the attempt has taken too long. */
  readonly signal: AbortSignal
}

/** Reports by itself. A lease that was lost has no more to say: the work is rolled back. */
export async function retryMessage<Own extends Unit>(
  kernel: Kernel,
  consumer: Consumer<Own>,
  job: MessageJob,
): Promise<void> {
  try {
    await attempt(kernel, consumer, job)
  } catch (error) {
    if (job.signal.aborted) return
    kernel.log.warn({ err: error, consumer: consumer.name, jobId: job.id }, "the handler of an event has failed again")
    await fail(kernel, consumer, job, error)
  }
}

const attempt = <Own extends Unit>(kernel: Kernel, consumer: Consumer<Own>, job: MessageJob): Promise<void> =>
  consumer.transaction(async (unit) => {
    const { message, tried } = job.retried
    if ("fault" in message.content)
      throw new EngineError("bad-request", `the message cannot be read: ${message.content.fault}`)
    await consumer.handle(unit, { messages: [message], attempt: tried + job.attempt, signal: job.signal })
    await unit.within(async (tx) => {
      const { id, workerId, token } = job
      const report = { verb: "complete", jobId: id, workerId, token, variables: undefined, actor: workerId } as const
      await completeHeld(kernel, tx, report)
      await advanceLane(kernel, tx, laneFor(consumer, job))
    })
  })

const fail = (kernel: Kernel, consumer: Consumer, job: MessageJob, thrown: unknown): Promise<void> =>
  kernel.db.transaction(async (tx) => {
    const { id, workerId, token, retried } = job
    const report = { ...consumer.judge(thrown), verb: "fail", jobId: id, workerId, token, actor: workerId } as const
    const after = await failHeld(kernel, tx, report)
    if (after?.kind !== "dead") return
    await advanceLane(kernel, tx, laneFor(consumer, job))
    publishDead(kernel, tx, { consumer, payload: JSON.stringify(retried), error: after.error })
  })

const laneFor = (consumer: Consumer, { id, retried }: MessageJob) => ({
  consumer,
  lane: laneOf(retried.message),
  jobId: id,
})
