// An administrator of Kafka that keeps its connection from one question to the next, and begins anew after a failure.
import type { Admin } from "@platformatic/kafka"
import { openAdmin } from "./admin.ts"
import type { KafkaSettings } from "./client-options.ts"
import { explainFailure } from "./explain-failure.ts"

export class KeptAdmin {
  readonly #settings: KafkaSettings
  #admin: Promise<Admin> | undefined

  constructor(settings: KafkaSettings) {
    this.#settings = settings
  }

  /** Whatever fails comes as a KafkaError. */
  async ask<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    this.#admin ??= openAdmin(this.#settings)
    const asked = this.#admin
    try {
      return await work(await asked)
    } catch (error) {
      if (this.#admin === asked) this.close()
      throw explainFailure(error, this.#settings.kafkaSeedBrokers)
    }
  }

  /** Not waited for: what it has sent is answered, or the broker is gone. */
  close(): void {
    const admin = this.#admin
    this.#admin = undefined
    admin?.then((one) => one.close()).catch(() => {})
  }
}
