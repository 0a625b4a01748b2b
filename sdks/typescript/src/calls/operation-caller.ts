// How every part of the client asks: an operation by its id. Reads may be repeated, and changes because they carry a key.
import { randomUUID } from "node:crypto"
import type { Operations } from "../generated/wire.ts"
import type { Caller, CallOptions, Repeat } from "./caller.ts"
import { type Answer, type Asked, type Given, methodOf, type OperationId, routeOf } from "./operations.ts"
import { type TraceContext, traceMetadata } from "./trace-context.ts"
import { refuseUnknownFields } from "./unknown-fields.ts"

/** What a call that changes something takes last. */
export interface ChangeOptions extends CallOptions {
  /** The same key and body have one effect, for 24 hours. */
  readonly idempotencyKey?: string | undefined
  /** Is called where nothing was done, for an earlier call had done it: the answer is about that. REST tells it. */
  readonly onRepeat?: (() => void) | undefined
}

/** What is asked may be left out where nothing of it is needed. */
export type AskedArguments<Id extends OperationId> =
  object extends Asked<Id> ? [asked?: Asked<Id>, options?: ChangeOptions] : [asked: Asked<Id>, options?: ChangeOptions]

export interface Terms {
  readonly repeat: Repeat
  readonly idempotencyKey?: string | undefined
  readonly onRepeat?: (() => void) | undefined
  /** How long the engine may hold the answer on purpose. */
  readonly waitMs?: number
  /** A worker asks or reports for itself: in no trace. */
  readonly untraced?: boolean
  readonly options?: CallOptions | undefined
}

export interface OperationCallerOptions {
  readonly autoKeys: boolean
  readonly traceContext: (() => TraceContext | undefined) | undefined
}

export class OperationCaller {
  readonly #caller: Caller
  readonly #options: OperationCallerOptions

  constructor(caller: Caller, options: OperationCallerOptions) {
    this.#caller = caller
    this.#options = options
  }

  call<Id extends OperationId>(operation: Id, ...[asked, options]: AskedArguments<Id>): Promise<Answer<Id>> {
    return this.send(operation, asked ?? {}, { ...this.#repeatOf(operation, options), options })
  }

  /** On terms of the caller's own. What cannot be asked is refused before anything is sent. */
  send<Id extends keyof Operations>(
    operation: Id,
    asked: Given,
    { repeat, idempotencyKey, onRepeat, waitMs = 0, untraced = false, options }: Terms,
  ): Promise<Operations[Id]["answer"]> {
    refuseUnknownFields(operation, asked)
    routeOf(operation, asked)
    // Asked before anything is awaited: the trace that is active then is the caller's.
    const trace = untraced ? {} : traceMetadata(this.#options.traceContext?.())
    const metadata = idempotencyKey === undefined ? trace : { ...trace, "idempotency-key": idempotencyKey }
    const call = { operation, asked, metadata, onRepeat, waits: waitMs > 0, repeat, waitMs, options }
    return this.#caller.call(call) as Promise<Operations[Id]["answer"]>
  }

  #repeatOf(operation: OperationId, options?: ChangeOptions): Pick<Terms, "repeat" | "idempotencyKey" | "onRepeat"> {
    if (methodOf(operation) === "GET") return { repeat: "always" }
    const idempotencyKey = options?.idempotencyKey ?? (this.#options.autoKeys ? randomUUID() : undefined)
    return { idempotencyKey, onRepeat: options?.onRepeat, repeat: idempotencyKey === undefined ? "unsent" : "always" }
  }
}
