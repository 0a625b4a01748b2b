// One consumer at work: new events from its source, failed ones from its jobs, each in a transaction with the handler's own writes.
import type { Consumer } from "../../../operations/events/consume/consumer.ts"
import { takeMessage } from "../../../operations/events/consume/take-message.ts"
import { type InTransaction, inCallersTransaction, inOwnTransaction } from "../../../operations/events/consume/units.ts"
import type { CallersTx } from "../../../operations/kernel/callers.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { handlerFailure } from "../../authoring/handler-failure.ts"
import type { ConsumeOptions, ConsumerSettings } from "./consume-options.ts"
import { type ConsumeHandler, callHandler } from "./consumption.ts"
import { RETRIES_AT_ONCE, startRetries } from "./retries.ts"
import { Slots } from "./slots.ts"
import { openSource } from "./sources.ts"

export interface ConsumerOpening<Tx> {
  readonly type: string
  readonly options: ConsumeOptions<Tx>
  readonly handler: ConsumeHandler<Tx>
}

type Stop = () => Promise<void>

/** Opens it, and returns what ends it: running handlers are waited for. */
export async function openConsumer<Tx extends CallersTx>(
  kernel: Kernel,
  settings: ConsumerSettings,
  { type, options, handler }: ConsumerOpening<Tx>,
): Promise<Stop> {
  const { name, group, concurrency } = settings
  const connections = kernel.db.beside(concurrency + RETRIES_AT_ONCE)
  const { transaction } = options
  const open = transaction ? inCallersTransaction(kernel, transaction) : inOwnTransaction(kernel, connections)
  const consumer = consumerOf(kernel, settings, { open: open as InTransaction<Tx>, handler })
  const slots = new Slots(concurrency)
  const stopRetries = startRetries(kernel, consumer)
  try {
    const stopSource = await openSource(kernel, {
      ...{ type, group, name, source: options.source, concurrency },
      take: (message, signal) =>
        slots.use(async () => {
          // Its partition may have been taken away while it waited for its place.
          signal.throwIfAborted()
          await takeMessage(kernel, consumer, { message, signal })
        }),
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
  readonly handler: ConsumeHandler<Tx>
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
