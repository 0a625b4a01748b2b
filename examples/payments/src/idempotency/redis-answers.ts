// Answers and locks in Redis, shared by all API processes. While Redis is away requests go on without both: PostgreSQL decides alone.
import { randomUUID } from "node:crypto"
import { createClient, defineScript } from "@redis/client"
import { type Answers, type Found, type Lifetimes, NO_LOCK, type StoredAnswer } from "./answers.ts"

/** A lock that has run out may belong to another request by now: only the owner's token deletes it. */
const RELEASE = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0",
  parseCommand(parser, key: string, lock: string) {
    parser.pushKey(key)
    parser.push(lock)
  },
  transformReply: (reply: number) => reply,
})

const answerKey = (key: string): string => `idempotency:${key}`
const lockKey = (key: string): string => `lock:${key}`

const connect = (url: string) =>
  createClient({
    url,
    scripts: { releaseLock: RELEASE },
    // A request that finds Redis away does not wait for it.
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000) },
  })

export class RedisAnswers implements Answers {
  readonly #client: ReturnType<typeof connect>
  readonly #lifetimes: Lifetimes

  private constructor(client: ReturnType<typeof connect>, lifetimes: Lifetimes) {
    this.#client = client
    this.#lifetimes = lifetimes
  }

  static async open(url: string, lifetimes: Lifetimes, onError: (error: Error) => void): Promise<RedisAnswers> {
    const client = connect(url)
    client.on("error", onError)
    await client.connect()
    return new RedisAnswers(client, lifetimes)
  }

  /** One round trip for both. A lock beside an answer is given back. */
  async begin(key: string): Promise<Found> {
    const lock = randomUUID()
    try {
      const [text, locked] = await Promise.all([this.#client.get(answerKey(key)), this.#lock(key, lock)])
      if (text === null) return locked ? { lock } : {}
      if (locked) await this.release(key, lock)
      return { answer: JSON.parse(text) as StoredAnswer }
    } catch {
      return { lock: NO_LOCK }
    }
  }

  /** Set and expiry are one call: between two of them a crash would leave a lock for ever. */
  async #lock(key: string, lock: string): Promise<boolean> {
    const expiration = { type: "EX", value: this.#lifetimes.lockSeconds } as const
    return (await this.#client.set(lockKey(key), lock, { condition: "NX", expiration })) === "OK"
  }

  /** The answer is there before the lock is gone: Redis runs the commands of a connection in order. */
  async keep(key: string, lock: string, answer: StoredAnswer): Promise<void> {
    await Promise.all([this.#store(key, answer), this.release(key, lock)])
  }

  async #store(key: string, answer: StoredAnswer): Promise<void> {
    const expiration = { type: "EX", value: this.#lifetimes.answerSeconds } as const
    await this.#client.set(answerKey(key), JSON.stringify(answer), { expiration }).catch(() => {})
  }

  async release(key: string, lock: string): Promise<void> {
    if (lock !== NO_LOCK) await this.#client.releaseLock(lockKey(key), lock).catch(() => {})
  }

  async isUp(): Promise<boolean> {
    return this.#client.ping().then(
      () => true,
      () => false,
    )
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }
}
