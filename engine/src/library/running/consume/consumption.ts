// What the handler of a consumer is called with, and one call of it: within its time, and told when the event is taken away.
import type { Message } from "../../../model/events/message.ts"
import type { Delivery } from "../../../operations/events/consume/consumer.ts"
import type { TxUnit } from "../../../operations/events/consume/units.ts"
import { type Published, publishEvent } from "../../../operations/events/publish-event.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { assert } from "../../../support/assert.ts"
import { EngineError } from "../../../support/errors.ts"
import { RunTimeout } from "../../authoring/handler-failure.ts"
import { checkText, checkVariables } from "../check-input.ts"
import type { PublishOptions } from "../events.ts"
import type { MillEvent } from "../handler-sink.ts"
import { timerMs } from "../tries/timer-ms.ts"

interface Call<Tx> {
  /** Commits with the mark that each event is processed, or not at all: the handler neither commits nor rolls back. */
  readonly tx: Tx
  /** Publishes in the same transaction. */
  publish(type: string, payload: object, options?: Omit<PublishOptions, "tx">): Promise<Published>
  /** Aborted when an event is taken away from this process, or the time is over. */
  readonly signal: AbortSignal
}

/** The one argument of a consumer's handler. */
export interface Consumption<Tx> extends Call<Tx> {
  readonly event: MillEvent
}

/** The one argument of a consumer's handler where `batch` is given. */
export interface BatchConsumption<Tx> extends Call<Tx> {
  /** One or more, no two of them with the same key. */
  readonly events: readonly MillEvent[]
}

export type ConsumeHandler<Tx> = (call: Consumption<Tx>) => unknown
export type BatchHandler<Tx> = (call: BatchConsumption<Tx>) => unknown

/** One event is a batch of one. */
export const oneByOne =
  <Tx>(handler: ConsumeHandler<Tx>): BatchHandler<Tx> =>
  ({ events, ...call }) => {
    const [event] = events
    assert(event && events.length === 1, "a handler of single events is given one")
    return handler({ ...call, event })
  }

/** A handler that was told to end has this long before its transaction is rolled back under it. */
const GRACE_MS = 5_000

interface Handling<Tx> {
  readonly kernel: Kernel
  readonly handler: BatchHandler<Tx>
  readonly timeoutMs: number
  readonly unit: TxUnit<Tx>
  readonly delivery: Delivery
}

export async function callHandler<Tx>({ kernel, handler, timeoutMs, unit, delivery }: Handling<Tx>): Promise<void> {
  const timeout = new AbortController()
  const over = new AbortController()
  const timer = setTimeout(() => timeout.abort(new RunTimeout(timeoutMs)), timerMs(timeoutMs))
  const signal = AbortSignal.any([delivery.signal, timeout.signal])
  const { tx } = unit
  const events = delivery.messages.map((message) => eventOf(message, delivery.attempt))
  const running = (async () => void (await handler({ events, tx, publish: publishing(kernel, unit), signal })))()
  try {
    // A transaction of another library cannot be ended under a handler that may still write in it.
    await (unit.canLeave
      ? Promise.race([running, given(timeout.signal), givenUp(delivery.signal, over.signal)])
      : running)
  } finally {
    clearTimeout(timer)
    over.abort()
    running.catch(() => {})
  }
}

const publishing =
  <Tx>(kernel: Kernel, unit: TxUnit<Tx>): Call<Tx>["publish"] =>
  async (type, payload, { key, headers } = {}) => {
    if (key !== undefined) checkText(key, "key")
    const request = { type, payload: checkVariables(payload, "the payload"), key, headers }
    const { outcome } = await unit.within((own) => publishEvent(kernel, request, own))
    return outcome
  }

const eventOf = ({ content, createdAt, at: _, ...event }: Message, attempt: number): MillEvent => {
  assert("payload" in content, "only what can be read is handled")
  return { ...event, payload: content.payload, createdAt: new Date(createdAt), attempt }
}

/** Rejects with the signal's reason when it is aborted. */
const given = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))

const takenAway = () => new EngineError("unavailable", "the event was taken away from this process")

/** Listens until it is `over`: the signal lives as long as the consumer, and would keep something of every message. */
const givenUp = (signal: AbortSignal, over: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const giveUp = () => void setTimeout(() => reject(takenAway()), GRACE_MS).unref()
    if (signal.aborted) giveUp()
    else signal.addEventListener("abort", giveUp, { once: true, signal: over })
  })
