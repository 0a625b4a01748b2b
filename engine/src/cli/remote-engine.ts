// The engine that the operator commands call over REST: the SDK's client, with failures that say what to do.
import { type Answer, type AskedArguments, EngineClient, type OperationId } from "@millrace/sdk"
import { CommandError } from "./command-error.ts"
import { type EngineAddress, engineAddress } from "./engine-address.ts"
import { explainFailure } from "./explain-refusal.ts"

const TIMEOUT_MS = 30_000

export class RemoteEngine {
  readonly #address: EngineAddress
  readonly #client: EngineClient

  constructor(env: NodeJS.ProcessEnv) {
    this.#address = engineAddress(env)
    const { url, apiKey } = this.#address
    // An operator is told at once that the engine is full or away, and decides whether to try again.
    const once = { maxAttempts: 1, autoIdempotencyKeys: false, timeoutMs: TIMEOUT_MS }
    this.#client = new EngineClient({ url, apiKey, ...once })
  }

  async call<Id extends OperationId>(operation: Id, ...asked: AskedArguments<Id>): Promise<Answer<Id>> {
    try {
      return await this.#client.call(operation, ...asked)
    } catch (error) {
      throw explainFailure(error, this.#address)
    }
  }

  /** For what is only shown besides: undefined where the key may change things but not read them. */
  async callIfAllowed<Id extends OperationId>(
    operation: Id,
    ...asked: AskedArguments<Id>
  ): Promise<Answer<Id> | undefined> {
    try {
      return await this.call(operation, ...asked)
    } catch (error) {
      if (error instanceof CommandError && error.refusal === "forbidden") return undefined
      throw error
    }
  }
}
