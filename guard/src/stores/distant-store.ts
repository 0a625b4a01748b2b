// Counters that another process keeps: every question is sent there, and its answer comes back as it would from a store of this process.
import type { Answer, FailureNote, Look, LookQuestion, Question, Store } from "./store.ts"

/** What can be asked of a store from another process. */
const METHODS = [
  "ask",
  "noteFailures",
  "block",
  "blockLeftMs",
  "remember",
  "isRemembered",
  "forget",
  "look",
] as const satisfies readonly (keyof Store)[]

export interface StoreCall {
  readonly method: (typeof METHODS)[number]
  /** Plain data: it is written as JSON on the way. */
  readonly args: readonly unknown[]
}

/** Runs a call in the process that keeps the counters. */
export function answerStoreCall(store: Store, { method, args }: StoreCall): unknown {
  if (!METHODS.includes(method)) throw new Error(`a store cannot be asked to ${method}`)
  return (store[method] as (...given: readonly unknown[]) => unknown).call(store, ...args)
}

type Send = (call: StoreCall) => Promise<unknown>

export class DistantStore implements Store {
  readonly state = { kind: "memory", isUp: true } as const
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  ask(question: Question): Promise<Answer> {
    return this.#call("ask", question)
  }

  noteFailures(notes: readonly FailureNote[]): Promise<readonly number[]> {
    return this.#call("noteFailures", notes)
  }

  block(key: string, reason: string, forMs: number): Promise<void> {
    return this.#call("block", key, reason, forMs)
  }

  blockLeftMs(key: string): Promise<number> {
    return this.#call("blockLeftMs", key)
  }

  remember(key: string, address: string): Promise<void> {
    return this.#call("remember", key, address)
  }

  isRemembered(key: string, address: string): Promise<boolean> {
    return this.#call("isRemembered", key, address)
  }

  forget(keys: readonly string[]): Promise<void> {
    return this.#call("forget", keys)
  }

  look(question: LookQuestion): Promise<Look> {
    return this.#call("look", question)
  }

  #call<T>(method: StoreCall["method"], ...args: readonly unknown[]): Promise<T> {
    return this.#send({ method, args }) as Promise<T>
  }

  async close(): Promise<void> {}
}
