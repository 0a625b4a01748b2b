// One consumer at work: new events from its source, failed ones from its jobs, each in a transaction with the handler's own writes.
import type { Consumer } from "../../../operations/events/consume/consumer.ts"
import { takeBatches } from "../../../operations/events/consume/take-batches.ts"
import { type InTransaction, inCallersTransaction, inOwnTransaction } from "../../../operations/events/consume/units.ts"
import type { CallersTx } from "../../../operations/kernel/callers.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { handlerFailure } from "../../authoring/handler-failure.ts"
import type { AnyConsumeOptions, ConsumerSettings } from "./consume-options.ts"
import { type BatchHandler, type ConsumeHandler, callHandler, oneByOne } from "./consumption.ts"
import { RETRIES_AT_ONCE, startRetries } from "./retries.ts"
import { openSource } from "./sources.ts"

export interface ConsumerOpening<Tx> {
  readonly type: string
  readonly options: AnyConsumeOptions<Tx>
  /** Gets batches where the options say so, otherwise single events. */
  readonly handler: BatchHandler<Tx> & ConsumeHandler<Tx>
}

type Stop = () => Promise<void>

/** Opens it, and returns what ends it: running handlers are waited for. */
export async function openConsumer<Tx extends CallersTx>(
  kernel: Kernel,
  settings: ConsumerSettings,
  { type, options, handler }: ConsumerOpening<Tx>,
): Promise<Stop> {
  const { name, group, concurrency, batch } = settings
  const connections = kernel.db.beside(concurrency + RETRIES_AT_ONCE)
  const { transaction } = options
  const open = transaction ? inCallersTransaction(kernel, transaction) : inOwnTransaction(kernel, connections)
  const consumer = consumerOf(kernel, settings, {
    open: open as InTransaction<Tx>,
    handler: options.batch === undefined ? oneByOne(handler) : handler,
  })
  const batches = takeBatches(kernel, consumer, settings)
  const stopRetries = startRetries(kernel, consumer)
  try {
    const stopSource = await openSource(kernel, {
      ...{ type, group, name, source: options.source },
      // A partition brings enough for a whole batch.
      atOnce: Math.max(concurrency, batch),
      take: async (message, signal) => void (await batches.submit({ message, signal })),
    })
    return () =>
      stopSource()
        .then(stopRetries)
        .then(() => connections.close())
  } catch (error) {
    await stopRetries()
    await connections.close()
    throw error
  }
}

interface Handling<Tx> {
  readonly open: InTransaction<Tx>
  readonly handler: BatchHandler<Tx>
}

type Unit<Tx> = Parameters<Parameters<InTransaction<Tx>>[0]>[0]

const consumerOf = <Tx>(
  kernel: Kernel,
  { timeoutMs, ...settings }: ConsumerSettings,
  { open, handler }: Handling<Tx>,
): Consumer<Unit<Tx>> => ({
  ...settings,
  timeoutMs,
  transaction: open,
  handle: (unit, delivery) => callHandler({ kernel, handler, timeoutMs, unit, delivery }),
  judge: handlerFailure,
})
