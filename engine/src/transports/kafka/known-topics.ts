// Which topics exist, remembered for a while: a producer would wait for ever for one that does not.
import type { KafkaSettings } from "./client-options.ts"
import { describeTopics } from "./topics.ts"

const REMEMBER_MS = 60_000

export class KnownTopics {
  readonly #settings: KafkaSettings
  readonly #seenAt = new Map<string, number>()

  constructor(settings: KafkaSettings) {
    this.#settings = settings
  }

  /** Throws a KafkaError when no broker can be asked. */
  async missing(names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const oldest = Date.now() - REMEMBER_MS
    const unsure = [...names].filter((name) => (this.#seenAt.get(name) ?? 0) < oldest)
    if (unsure.length === 0) return new Set()
    const found = await describeTopics(this.#settings, unsure)
    for (const name of found.keys()) this.#seenAt.set(name, Date.now())
    return new Set(unsure.filter((name) => !found.has(name)))
  }

  /** Asks anew the next time. */
  forget(): void {
    this.#seenAt.clear()
  }
}
