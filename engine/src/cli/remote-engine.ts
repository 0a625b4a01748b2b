// The engine that the operator commands call over REST: the SDK's client, with failures that say what to do.
import {
  type Answer,
  type AskedArguments,
  EngineClient,
  type EngineClientOptions,
  type OperationId,
} from "@millrace/sdk"
import { CommandError } from "./command-error.ts"
import { type EngineAddress, engineAddress } from "./engine-address.ts"
import { explainFailure } from "./explain-refusal.ts"

const TIMEOUT_MS = 30_000

export class RemoteEngine {
  readonly #address: EngineAddress
  readonly #client: EngineClient

  constructor(env: NodeJS.ProcessEnv, { logger }: Pick<EngineClientOptions, "logger"> = {}) {
    this.#address = engineAddress(env)
    const { url, apiKey } = this.#address
    // No repeats: an operator learns at once that the engine is full or away, and decides whether to try again.
    const once = { maxAttempts: 1, autoIdempotencyKeys: false, timeoutMs: TIMEOUT_MS }
    this.#client = new EngineClient({ url, apiKey, logger, ...once })
  }

  async call<Id extends OperationId>(operation: Id, ...asked: AskedArguments<Id>): Promise<Answer<Id>> {
    try {
      return await this.#client.call(operation, ...asked)
    } catch (error) {
      throw explainFailure(error, this.#address)
    }
  }

  /** For what is only shown besides: undefined where the key may change things but not read them. */
  callIfAllowed<Id extends OperationId>(operation: Id, ...asked: AskedArguments<Id>): Promise<Answer<Id> | undefined> {
    return unless("forbidden", this.call(operation, ...asked))
  }

  /** For a word after something was done: whatever fails now, that is done, and a command that fails would be sent again. */
  async callIfPossible<Id extends OperationId>(
    operation: Id,
    ...asked: AskedArguments<Id>
  ): Promise<Answer<Id> | undefined> {
    try {
      return await this.call(operation, ...asked)
    } catch {
      return undefined
    }
  }

  /** Undefined where there is none. */
  callIfFound<Id extends OperationId>(operation: Id, ...asked: AskedArguments<Id>): Promise<Answer<Id> | undefined> {
    return unless("not-found", this.call(operation, ...asked))
  }
}

async function unless<T>(refusal: string, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof CommandError && error.refusal === refusal) return undefined
    throw error
  }
}
