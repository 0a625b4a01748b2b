// Dead letters: what was given up, looked at, put back or thrown away.

import type { CallOptions } from "../calls/caller.ts"
import type { ChangeOptions, OperationCaller } from "../calls/operation-caller.ts"
import { followCursor } from "../calls/pages.ts"
import { type Camel, toCamel, toSnake } from "../calls/snake-case.ts"
import type { ListDeadLettersQuery } from "../generated/wire.ts"
import type {
  DeadLetter,
  DeadLetterBulk,
  DeadLetterDetail,
  DeadLetterFilter,
  DeadLetterGroup,
  DeadLetterPage,
  ReplayedDeadLetter,
} from "./queue-types.ts"

interface BulkRequest {
  readonly filter: DeadLetterFilter
  readonly dryRun?: boolean
}

export class DeadLetterClient {
  readonly #operations: OperationCaller

  constructor(operations: OperationCaller) {
    this.#operations = operations
  }

  /** One page, newest first. */
  async list(query: Camel<ListDeadLettersQuery> = {}, options?: CallOptions): Promise<DeadLetterPage> {
    return toCamel(await this.#operations.call("listDeadLetters", { query: toSnake(query) }, options))
  }

  /** Every one that matches, page after page. */
  all(filter: DeadLetterFilter = {}, options?: CallOptions): AsyncGenerator<DeadLetter, void, undefined> {
    return followCursor((cursor) => this.list({ ...filter, ...cursor }, options))
  }

  /** Groups dead letters by error, the most frequent first. */
  async groups(
    query: { readonly since?: string; readonly before?: string } = {},
    options?: CallOptions,
  ): Promise<readonly DeadLetterGroup[]> {
    return toCamel((await this.#operations.call("groupDeadLetters", { query }, options)).items)
  }

  /** Returns the dead letter and how each of its attempts ended. */
  async get(id: string, options?: CallOptions): Promise<DeadLetterDetail> {
    return toCamel(await this.#operations.call("getDeadLetter", { path: { deadLetterId: id } }, options))
  }

  /** Back into its lane, with its budget of retries as it was. */
  async replay(id: string, options?: ChangeOptions): Promise<ReplayedDeadLetter> {
    return toCamel(await this.#operations.call("replayDeadLetter", { path: { deadLetterId: id } }, options))
  }

  discard(id: string, options?: ChangeOptions): Promise<void> {
    return this.#operations.call("discardDeadLetter", { path: { deadLetterId: id } }, options)
  }

  /** Follow it with `getBulk`. */
  async replayAll(request: BulkRequest, options?: ChangeOptions): Promise<DeadLetterBulk> {
    return toCamel(await this.#operations.call("replayDeadLetters", { body: bulkBody(request) }, options))
  }

  async discardAll(request: BulkRequest, options?: ChangeOptions): Promise<DeadLetterBulk> {
    return toCamel(await this.#operations.call("discardDeadLetters", { body: bulkBody(request) }, options))
  }
}

const bulkBody = ({ filter, ...rest }: BulkRequest) => ({ ...rest, filter: toSnake(filter) })
