// What was answered to an idempotency key, and who is answering it now. Both only spare work and give a clear 409: that a key is paid
// once is promised by the unique index of payments, with or without them.

export interface StoredAnswer {
  /** Of the body that it answers. */
  readonly hash: string
  readonly status: number
  readonly body: object
}

export interface Found {
  readonly answer?: StoredAnswer
  /** Ours until it is released or runs out. Undefined when another request holds it. */
  readonly lock?: string
}

export interface Answers {
  /** The stored answer; without one the lock, unless it is taken. */
  begin(key: string): Promise<Found>
  /** Stores the answer and releases the lock, in one round trip. */
  keep(key: string, lock: string, answer: StoredAnswer): Promise<void>
  /** Only by the owner: a lock that ran out and was taken by another request stays. */
  release(key: string, lock: string): Promise<void>
  isUp(): Promise<boolean>
  close(): Promise<void>
}

export interface Lifetimes {
  readonly answerSeconds: number
  readonly lockSeconds: number
}

/** No lock is asked for where none was got: this one stands for "go on without". */
export const NO_LOCK = ""
