// How every part of the client speaks: reads that may be repeated, and changes that may be repeated because they carry a key.
import { randomUUID } from "node:crypto"
import type { Call, Caller, CallOptions } from "./caller.ts"
import { at, type QueryValue } from "./paths.ts"

export interface ChangeOptions extends CallOptions {
  /** The same key and body have one effect, for 24 hours. */
  readonly idempotencyKey?: string | undefined
}

export class Wire {
  readonly caller: Caller
  readonly #autoKeys: boolean

  constructor(caller: Caller, autoKeys: boolean) {
    this.caller = caller
    this.#autoKeys = autoKeys
  }

  get<T>(path: string, query: Readonly<Record<string, QueryValue>> = {}, options?: CallOptions): Promise<T> {
    return this.caller.call({ method: "GET", path: at.query(path, query), repeat: "always", options })
  }

  post<T>(path: string, body: object, options?: ChangeOptions): Promise<T> {
    return this.change("POST", path, body, options)
  }

  change<T>(method: Call["method"], path: string, body?: object, options?: ChangeOptions): Promise<T> {
    const idempotencyKey = options?.idempotencyKey ?? (this.#autoKeys ? randomUUID() : undefined)
    const repeat = idempotencyKey === undefined ? "unsent" : "always"
    return this.caller.call({ method, path, body, idempotencyKey, repeat, options })
  }
}
