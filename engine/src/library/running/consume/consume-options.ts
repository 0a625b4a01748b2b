// What may be said about a consumer, judged and in the words of the operation.
import { subscriptionFault, typeFault } from "../../../model/events/event-rules.ts"
import { CONSUMER_RETRY, consumerName } from "../../../model/events/retried-message.ts"
import type { CompiledRetryPolicy } from "../../../model/jobs/retry-delay.ts"
import { isRoutingName, ROUTING_NAME_HINT } from "../../../model/jobs/routing-name.ts"
import { retryPolicyOf } from "../../../model/jobs/standalone-job.ts"
import { badRequest } from "../../../support/errors.ts"
import { checkKnown } from "../../authoring/check-authoring.ts"
import { type Delay, delayMs } from "../../authoring/delay.ts"
import { type JobRetryOption, typeDefaults } from "../../authoring/enqueue-options.ts"
import { present } from "../../authoring/present.ts"

export interface ConsumeOptions<Tx> {
  /** Each group has every event once; processes that ask for the same group share its events. */
  readonly group: string
  /** "kafka" where a broker is set up, else "in-process": what is published to this database. */
  readonly source?: "kafka" | "in-process"
  /** Opens a transaction of your own library: `(work) => db.transaction(work)`. Without it the handler is given one of ours. */
  readonly transaction?: (work: (tx: Tx) => Promise<void>) => Promise<unknown>
  /** Attempts after the first; 5. */
  readonly retries?: number
  /** 2, 4, 8, 16 and 32 s. */
  readonly retry?: JobRetryOption
  /** How long one attempt may take: 30 s. */
  readonly timeout?: Delay
  /** Publishes `<type>.dlq`, or an event of the type that is given, for each event that becomes a dead letter. */
  readonly dlq?: boolean | string
  /** Handlers at a time; 8. */
  readonly concurrency?: number
  /** Events are handled one by one. */
  readonly batch?: undefined
}

export interface BatchOptions<Tx> extends Omit<ConsumeOptions<Tx>, "batch"> {
  /** The most events that share a transaction and a call of the handler, which is given them as `events`. */
  readonly batch: number
}

export type AnyConsumeOptions<Tx> = ConsumeOptions<Tx> | BatchOptions<Tx>

export interface ConsumerSettings {
  readonly name: string
  readonly group: string
  readonly retry: CompiledRetryPolicy
  readonly timeoutMs: number
  readonly deadType: string | undefined
  readonly concurrency: number
  readonly batch: number
}

const OPTIONS = ["group", "source", "transaction", "retries", "retry", "timeout", "dlq", "concurrency", "batch"]
const TIMEOUT_MS = 30_000
const CONCURRENCY = 8
const MOST_AT_ONCE = 1_000

export function readConsumer<Tx>(type: string, options: AnyConsumeOptions<Tx>): ConsumerSettings {
  // The handler may stand in the place of the options.
  if (typeof options !== "object" || options === null) throw groupNeeded(type)
  checkKnown(`a consumer of ${type}`, options, OPTIONS)
  const { group, source, transaction, timeout, concurrency = CONCURRENCY, batch = 1 } = options
  if (group === undefined) throw groupNeeded(type)
  refuse(type, subscriptionFault(type))
  const name = consumerName(group, type)
  if (typeof group !== "string" || !isRoutingName(group) || !isRoutingName(name))
    throw badRequest(`${JSON.stringify(group)} is no group of ${type}: ${ROUTING_NAME_HINT}, with the type 190 at most`)
  if (source !== undefined && source !== "kafka" && source !== "in-process")
    throw badRequest('source must be "kafka" or "in-process"')
  if (transaction !== undefined && typeof transaction !== "function")
    throw badRequest("transaction must be a function that opens one: (work) => db.transaction(work)")
  for (const [option, value] of Object.entries({ concurrency, batch }))
    if (!Number.isInteger(value) || value < 1 || value > MOST_AT_ONCE)
      throw badRequest(`${option} must be a whole number from 1 to ${MOST_AT_ONCE}`)
  const timeoutMs = delayMs("timeout", timeout) ?? TIMEOUT_MS
  return { name, group, retry: retryOf(options), timeoutMs, deadType: deadTypeOf(type, options), concurrency, batch }
}

const groupNeeded = (type: string) => badRequest(`a consumer of ${type}: a group is needed: { group: "…" }`)

function refuse(type: string, fault: ReturnType<typeof typeFault>): void {
  if (fault) throw badRequest(`the type ${JSON.stringify(type)} ${fault.message}: ${fault.hint}`)
}

function retryOf<Tx>({ retries, retry }: AnyConsumeOptions<Tx>): CompiledRetryPolicy {
  const given = typeDefaults(present({ retries, retry }), CONSUMER_RETRY.retries)
  return retryPolicyOf(given.retry ?? CONSUMER_RETRY, retries)
}

function deadTypeOf<Tx>(type: string, { dlq = false }: AnyConsumeOptions<Tx>): string | undefined {
  if (dlq === false) return undefined
  const deadType = dlq === true ? `${type}.dlq` : dlq
  refuse(deadType, typeFault(deadType))
  return deadType
}
