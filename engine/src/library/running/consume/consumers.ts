// The consumers of one process, by their names.
import type { CallersTx } from "../../../operations/kernel/callers.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { badRequest, conflict, EngineError } from "../../../support/errors.ts"
import type { Subscription } from "../events.ts"
import { readConsumer } from "./consume-options.ts"
import { type ConsumerOpening, openConsumer } from "./event-consumer.ts"

export class Consumers {
  readonly #kernel: Kernel
  /** What ends each of them, once it is open. */
  readonly #open = new Map<string, Promise<() => Promise<void>>>()
  #isStopped = false

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  async consume<Tx extends CallersTx>(opening: ConsumerOpening<Tx>): Promise<Subscription> {
    const { type, options, handler } = opening
    const settings = readConsumer(type, options)
    if (typeof handler !== "function") throw badRequest(`the handler of ${type} must be a function`)
    const { name, group } = settings
    if (this.#isStopped) throw new EngineError("unavailable", "the mill has been stopped")
    if (this.#open.has(name)) throw conflict(`this process consumes ${type} for the group ${group} already`)
    const opened = openConsumer(this.#kernel, settings, opening)
    this.#open.set(name, opened)
    opened.catch(() => this.#open.delete(name))
    await opened
    return { name, stop: () => this.#close(name) }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#open.keys()].map((name) => this.#close(name)))
  }

  async #close(name: string): Promise<void> {
    const opened = this.#open.get(name)
    this.#open.delete(name)
    const stop = await opened?.catch(() => undefined)
    await stop?.()
  }
}
