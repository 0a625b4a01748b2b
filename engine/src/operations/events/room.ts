// Room in the outbox: publishing is refused before the events that wait fill the disk.
import { readOutbox } from "../../store/events/outbox.ts"
import { EngineError } from "../../support/errors.ts"
import { type Kernel, perKernel } from "../kernel/kernel.ts"

/** Whether the outbox was full when it was last measured. What publishes by itself asks the database each time. */
export const roomOf = perKernel(() => ({ isFull: false }))

export async function measureRoom(kernel: Kernel): Promise<void> {
  const { waiting, high_watermark } = await readOutbox(kernel.db)
  roomOf(kernel).isFull = waiting >= high_watermark
  kernel.metrics.outboxFill.set(waiting / high_watermark)
}

/** The refusal, which is counted. */
export function outboxFull({ metrics, settings }: Kernel): EngineError {
  metrics.eventsRefused.inc()
  return new EngineError("backpressure", "too many events wait for their sinks", {
    retryAfterSeconds: settings.backpressureRetryAfterSeconds,
  })
}
