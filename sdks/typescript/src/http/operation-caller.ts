// How every part of the client asks: an operation by its id. Reads may be repeated, and changes because they carry a key.
import { randomUUID } from "node:crypto"
import type { Call, Caller, CallOptions } from "./caller.ts"
import { type Answer, type Asked, type OperationId, routeOf } from "./operations.ts"

export interface ChangeOptions extends CallOptions {
  /** The same key and body have one effect, for 24 hours. */
  readonly idempotencyKey?: string | undefined
}

/** What is asked may be left out where nothing of it is needed. */
export type AskedArguments<Id extends OperationId> =
  object extends Asked<Id> ? [asked?: Asked<Id>, options?: ChangeOptions] : [asked: Asked<Id>, options?: ChangeOptions]

export class OperationCaller {
  readonly #caller: Caller
  readonly #autoKeys: boolean

  constructor(caller: Caller, autoKeys: boolean) {
    this.#caller = caller
    this.#autoKeys = autoKeys
  }

  call<Id extends OperationId>(operation: Id, ...[asked, options]: AskedArguments<Id>): Promise<Answer<Id>> {
    const route = routeOf(operation, asked)
    return this.#caller.call({ ...route, ...this.#repeatOf(route.method, options), options })
  }

  #repeatOf(method: Call["method"], options?: ChangeOptions): Pick<Call, "repeat" | "idempotencyKey"> {
    if (method === "GET") return { repeat: "always" }
    const idempotencyKey = options?.idempotencyKey ?? (this.#autoKeys ? randomUUID() : undefined)
    return { idempotencyKey, repeat: idempotencyKey === undefined ? "unsent" : "always" }
  }
}
