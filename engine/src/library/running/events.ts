// Events from your own process: published in your transaction, handled by functions that need no broker.
import { subscriptionFault } from "../../model/events/event-rules.ts"
import { isRoutingName, ROUTING_NAME_HINT } from "../../model/jobs/routing-name.ts"
import { type Published, publishEvent } from "../../operations/events/publish-event.ts"
import { relaysOf } from "../../operations/events/relays.ts"
import { type CallersTx, within } from "../../operations/kernel/callers.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { badRequest } from "../../support/errors.ts"
import { activeTrace } from "../../support/spans.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import { checkText, checkVariables } from "./check-input.ts"
import { type EventHandler, HandlerSink } from "./handler-sink.ts"

export interface PublishOptions {
  /** Events with the same key are delivered in the order in which they were published. */
  readonly key?: string | undefined
  /** Your open transaction: the event is published by its commit, and never if it is rolled back. */
  readonly tx?: CallersTx | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface SubscriptionOptions {
  /** By which its position is kept: two functions for one type need two names. The type. */
  readonly name?: string
  /** How often the handler is called for an event before it waits for an operator. 8 */
  readonly tries?: number
}

export interface Subscription {
  readonly name: string
  /** In this process. The position is kept, and so are the events that come meanwhile. */
  stop(): Promise<void>
}

const TRIES = 8
const MOST_TRIES = 1_000

export class Events {
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  async publish(type: string, payload: object, options: PublishOptions = {}): Promise<Published> {
    checkKnown(`an event of ${type}`, options, ["key", "tx", "headers"])
    const { key, tx, headers } = options
    if (key !== undefined) checkText(key, "key")
    const request = { type, payload: checkVariables(payload, "the payload"), key, headers, trace: activeTrace() }
    const { outcome } = await within(this.#kernel, tx, (own) => publishEvent(this.#kernel, request, own))
    return outcome
  }

  async on(type: string, handler: EventHandler, options: SubscriptionOptions = {}): Promise<Subscription> {
    checkKnown(`a subscription to ${type}`, options, ["name", "tries"])
    const { name = type, tries = TRIES } = options
    const fault = subscriptionFault(type)
    if (fault) throw badRequest(`the type ${JSON.stringify(type)} ${fault.message}: ${fault.hint}`)
    if (!isRoutingName(name))
      throw badRequest(`${JSON.stringify(name)} is no name of a subscription: ${ROUTING_NAME_HINT}`)
    if (typeof handler !== "function") throw badRequest(`the handler of ${type} must be a function`)
    if (!Number.isInteger(tries) || tries < 1 || tries > MOST_TRIES)
      throw badRequest(`tries must be a whole number from 1 to ${MOST_TRIES}`)
    const relays = relaysOf(this.#kernel)
    await relays.add({ sink: new HandlerSink(name, handler), kind: "in-process", types: [type], tries })
    return { name, stop: () => relays.remove(name) }
  }
}
