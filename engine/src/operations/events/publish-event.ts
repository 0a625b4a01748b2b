// Publishes an event: a row of the outbox, in the caller's transaction or in a batch with others. The relay sends it after the commit.
import type { Outcome, Patience } from "../../db/batcher.ts"
import type { Transaction } from "../../db/transaction.ts"
import { checkHeaders, typeFault } from "../../model/events/event-rules.ts"
import { insertEvents, type NewEvent } from "../../store/events/events.ts"
import { assert } from "../../support/assert.ts"
import { badRequest } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { traceparentOf, tracestateOf } from "../../support/trace-context.ts"
import { batched } from "../kernel/batch.ts"
import { checkSize } from "../kernel/check-size.ts"
import { type Done, once, type RequestKey } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { relaysOf } from "./relays.ts"
import { outboxFull } from "./room.ts"

export interface PublishRequest {
  readonly type: string
  readonly payload: JsonObject
  /** Events with the same key are delivered in the order in which they were published. */
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly requestKey?: RequestKey | undefined
  /** The W3C trace context of the call; what the headers say of it counts more. */
  readonly trace?: string | undefined
}

export interface Published {
  readonly id: string
}

/** In a batch with others, or within the given transaction. A refusal is thrown, and leaves nothing in a caller's transaction. */
export async function publishEvent(
  kernel: Kernel,
  request: PublishRequest,
  tx?: Transaction,
): Promise<Done<Published>> {
  const event = prepare(kernel, request)
  if (tx) return { outcome: await publishOne(kernel, tx, event), isRepeat: false }
  const { requestKey } = request
  if (!requestKey) return { outcome: await batches(kernel).submit(event), isRepeat: false }
  return kernel.db.transaction((own) => once(own, requestKey, () => publishOne(kernel, own, event)))
}

/** All or none, in their order. */
export function publishEvents(
  kernel: Kernel,
  requests: readonly Omit<PublishRequest, "requestKey">[],
  requestKey?: RequestKey,
): Promise<Done<readonly Published[]>> {
  const events = requests.map((request) => prepare(kernel, request))
  return kernel.db.transaction((tx) => once(tx, requestKey, () => publishWithin(kernel, tx, events)))
}

function prepare({ newId, settings }: Kernel, request: PublishRequest): NewEvent {
  const { type, payload, key = "", headers = {}, trace } = request
  const fault = typeFault(type)
  if (fault) throw badRequest(`the type ${JSON.stringify(type)} ${fault.message}: ${fault.hint}`)
  const text = JSON.stringify(payload)
  checkSize(settings, text, "the payload")
  const told = { ...traceHeaders(trace), ...checkHeaders(headers) }
  return { id: newId(), type, key: key || null, payload: text, headers: JSON.stringify(told) }
}

function traceHeaders(trace: string | undefined): Readonly<Record<string, string>> {
  if (trace === undefined) return {}
  const tracestate = tracestateOf(trace)
  return { traceparent: traceparentOf(trace), ...(tracestate === undefined ? {} : { tracestate }) }
}

async function publishOne(kernel: Kernel, tx: Transaction, event: NewEvent): Promise<Published> {
  const [published] = await publishWithin(kernel, tx, [event])
  return published as Published
}

async function publishWithin(kernel: Kernel, tx: Transaction, events: readonly NewEvent[]): Promise<Published[]> {
  const ids = await insertEvents(tx, events)
  if (ids.length < events.length) throw outboxFull(kernel)
  kernel.metrics.eventsPublished.inc(ids.length)
  tx.afterCommit(() => relaysOf(kernel).wake())
  return ids.map((id) => ({ id }))
}

/** Events of one key are never in two flights at once: they would change places. */
const batches = batched<NewEvent, Published>({
  run: publishAll,
  flights: 2,
  sizeOf: ({ payload }) => payload.length,
  keyOf: ({ id, key }) => key ?? id,
})

async function publishAll(
  kernel: Kernel,
  events: readonly NewEvent[],
  patience: Patience,
): Promise<readonly Outcome<Published>[]> {
  kernel.metrics.batchSize.observe({ operation: "publish" }, events.length)
  const ids = await kernel.db.transaction((tx) => insertEvents(tx, events), patience)
  if (ids.length === 0) return events.map(() => ({ error: outboxFull(kernel) }))
  assert(ids.length === events.length, "events are written all together")
  kernel.metrics.eventsPublished.inc(ids.length)
  relaysOf(kernel).wake()
  return ids.map((id) => ({ value: { id } }))
}
