// Works on messages that have failed: each is a job of its consumer, and a worker of this process attempts it again.
import { readRetried } from "../../../model/events/retried-message.ts"
import type { Consumer, Unit } from "../../../operations/events/consume/consumer.ts"
import { advanceEndedLanes } from "../../../operations/events/consume/lanes.ts"
import { retryMessage } from "../../../operations/events/consume/retry-message.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { handlerFailure } from "../../authoring/handler-failure.ts"
import { NonRetryableError } from "../../authoring/retries/error-kind.ts"
import type { Attempt } from "../attempt.ts"
import { Worker } from "../worker.ts"

/** Beside the handlers of new messages. */
export const RETRIES_AT_ONCE = 4
/** Jobs that have ended without a consumer are found within this time. */
const LOOK_EVERY_MS = 5_000

/** Events that have failed are jobs of this consumer's type. */
export function startRetries<Own extends Unit>(kernel: Kernel, consumer: Consumer<Own>): () => Promise<void> {
  const workerId = `${kernel.processId}:${consumer.name}`
  const attempts = { [consumer.name]: attemptOf(kernel, consumer, workerId) }
  const worker = new Worker(kernel, { workerId, attempts, concurrency: RETRIES_AT_ONCE }).start()
  let looking = Promise.resolve()
  const look = () => {
    looking = looking.then(() => lookForEnded(kernel, consumer))
  }
  look()
  const timer = setInterval(look, LOOK_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await worker.stop()
    await looking
  }
}

async function lookForEnded(kernel: Kernel, consumer: Consumer): Promise<void> {
  try {
    await advanceEndedLanes(kernel, consumer)
  } catch (error) {
    kernel.log.warn({ err: error, consumer: consumer.name }, "failed events of a consumer could not be looked at")
  }
}

const attemptOf =
  <Own extends Unit>(kernel: Kernel, consumer: Consumer<Own>, workerId: string): Attempt =>
  async (job) => {
    const { id, token, attempt, signal } = job
    const retried = readRetried(job.variables)
    if (!retried) return handlerFailure(new NonRetryableError("no consumer has made this job"))
    await retryMessage(kernel, consumer, { id, token, workerId, attempt, signal, retried })
    return undefined
  }
