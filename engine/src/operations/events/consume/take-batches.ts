// Takes messages as they come: those that wait while others are being taken share the next transaction. A batch that fails is run again
// one by one, so that a message which cannot be handled fails by itself.
import { Batcher, type Outcome } from "../../../db/batcher.ts"
import { isAway } from "../../../db/errors.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { Consumer, Unit } from "./consumer.ts"
import { type Given, type Taken, takeMessage, takeTogether } from "./take-message.ts"

export interface BatchSizes {
  /** The most messages of a transaction. */
  readonly batch: number
  /** Transactions at a time. */
  readonly concurrency: number
}

export const takeBatches = <Own extends Unit>(
  kernel: Kernel,
  consumer: Consumer<Own>,
  { batch, concurrency }: BatchSizes,
): Batcher<Given, Taken> =>
  new Batcher({
    run: (given) => takeAll(kernel, consumer, given),
    maxItems: batch,
    flights: concurrency,
    isLoner: ({ message }) => "fault" in message.content,
    // The source brings no more than it may have under way.
    capacity: Number.POSITIVE_INFINITY,
  })

async function takeAll<Own extends Unit>(
  kernel: Kernel,
  consumer: Consumer<Own>,
  given: readonly Given[],
): Promise<readonly Outcome<Taken>[]> {
  // A partition may have been taken away while its messages waited for their place.
  for (const { signal } of given) signal.throwIfAborted()
  const [first, ...others] = given
  if (first && others.length === 0) return [{ value: await takeMessage(kernel, consumer, first) }]
  try {
    return (await takeTogether(kernel, consumer, given)).map((value) => ({ value }))
  } catch (error) {
    kernel.log.info({ err: error, consumer: consumer.name, events: given.length }, "a batch of events has failed")
    if (!isAway(error)) throw error
    return takeEach(kernel, consumer, given)
  }
}

/**
 * The connection broke. The database may be away, or the handler of one event has ended the connection: that one is found by itself. The
 * first that cannot be taken either ends it, so that none overtakes it.
 */
async function takeEach<Own extends Unit>(
  kernel: Kernel,
  consumer: Consumer<Own>,
  given: readonly Given[],
): Promise<readonly Outcome<Taken>[]> {
  const outcomes: Outcome<Taken>[] = []
  try {
    for (const each of given) outcomes.push({ value: await takeMessage(kernel, consumer, each) })
  } catch (error) {
    while (outcomes.length < given.length) outcomes.push({ error })
  }
  return outcomes
}
