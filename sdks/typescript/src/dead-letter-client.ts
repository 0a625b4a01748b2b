// Dead letters: what was given up, looked at, put back or thrown away.
import type { CallOptions } from "./caller.ts"
import { followCursor } from "./pages.ts"
import { at, type QueryValue } from "./paths.ts"
import type {
  DeadLetter,
  DeadLetterBulk,
  DeadLetterFilter,
  DeadLetterGroup,
  DeadLetterPage,
  Replayed,
} from "./queue-types.ts"
import { toCamel, toSnake } from "./snake-case.ts"
import type { ChangeOptions, Wire } from "./wire.ts"

interface BulkRequest {
  readonly filter: DeadLetterFilter
  readonly dryRun?: boolean
}

export class DeadLetterClient {
  readonly #wire: Wire

  constructor(wire: Wire) {
    this.#wire = wire
  }

  /** One page, newest first. */
  async list(
    query: DeadLetterFilter & { readonly limit?: number; readonly cursor?: string } = {},
    options?: CallOptions,
  ): Promise<DeadLetterPage> {
    return toCamel(await this.#wire.get("/queues/dlq", toSnake(query) as Record<string, QueryValue>, options))
  }

  /** Every one that matches, page after page. */
  all(filter: DeadLetterFilter = {}, options?: CallOptions): AsyncGenerator<DeadLetter, void, undefined> {
    return followCursor((cursor) => this.list({ ...filter, ...cursor }, options))
  }

  /** By error, the most frequent first. */
  async groups(
    query: { readonly since?: string; readonly before?: string } = {},
    options?: CallOptions,
  ): Promise<readonly DeadLetterGroup[]> {
    const answer = await this.#wire.get("/queues/dlq/groups", query, options)
    return toCamel<{ items: readonly DeadLetterGroup[] }>(answer).items
  }

  async get(id: string, options?: CallOptions): Promise<DeadLetter> {
    return toCamel(await this.#wire.get(at`/queues/dlq/${id}`, {}, options))
  }

  /** Back into its lane, with its budget of retries as it was. */
  async replay(id: string, options?: ChangeOptions): Promise<Replayed> {
    return toCamel(await this.#wire.change("POST", at`/queues/dlq/${id}/replay`, undefined, options))
  }

  discard(id: string, options?: ChangeOptions): Promise<void> {
    return this.#wire.change("DELETE", at`/queues/dlq/${id}`, undefined, options)
  }

  /** Follow it with `getBulk`. */
  async replayAll(request: BulkRequest, options?: ChangeOptions): Promise<DeadLetterBulk> {
    return toCamel(await this.#wire.post("/queues/dlq/replay", bulkBody(request), options))
  }

  async discardAll(request: BulkRequest, options?: ChangeOptions): Promise<DeadLetterBulk> {
    return toCamel(await this.#wire.post("/queues/dlq/discard", bulkBody(request), options))
  }
}

const bulkBody = ({ filter, dryRun }: BulkRequest): object => ({ filter: toSnake(filter), dryRun })
