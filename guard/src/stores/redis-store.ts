// Counters in Redis, shared by all replicas. Each method is one round trip.
import { randomBytes } from "node:crypto"
import type { RedisClient } from "./connect-redis.ts"
import { ADDRESSES_KEPT, ADDRESSES_KEPT_MS, TIMES_KEPT, TIMES_KEPT_MS } from "./keeping.ts"
import type { Answer, FailureNote, Look, LookQuestion, Question } from "./store.ts"

const NOT_ASKED = -2

/** What the scripts answer, as redis-scripts.ts describes it. */
type AskReply = readonly [number, number, number, string, readonly string[]]
type LookReply = readonly [readonly number[], readonly (readonly [number, number, string])[], readonly Times[]]
/** In microseconds. */
type Times = readonly string[]

const modeOf = (part: { readonly isEnforced: boolean } | undefined): string =>
  part === undefined ? "-" : part.isEnforced ? "e" : "s"

export class RedisStore {
  readonly #client: RedisClient
  readonly #prefix: string
  /** Calls of the same microsecond are two members of the window: of this process by their number, of another by its own random. */
  readonly #process = randomBytes(9).toString("base64url")
  #calls = 0

  constructor(client: RedisClient, prefix: string) {
    this.#client = client
    this.#prefix = prefix
  }

  async ask({ rate, blocks, times }: Question): Promise<Answer> {
    const keys = [rate?.key, ...blocks.map(({ key }) => key), times?.key].filter((key) => key !== undefined)
    const reply = await this.#client.ask(this.#named(keys), [
      ...[modeOf(rate), blocks.map(modeOf).join(""), modeOf(times)],
      ...[String(rate?.requests ?? 0), String(rate?.windowMs ?? 0), `${this.#process}-${++this.#calls}`],
      ...[String(TIMES_KEPT), String(TIMES_KEPT_MS)],
    ])
    const [remaining, found, leftMs, reason, micros] = reply as AskReply
    const block = blocks[found - 1]
    return {
      rate: remaining === NOT_ASKED ? undefined : { isAdmitted: remaining >= 0, remaining: Math.max(0, remaining) },
      block: block && { key: block.key, reason, leftMs },
      timesMs: micros.length === 0 ? undefined : micros.map(inMs),
    }
  }

  async noteFailures(notes: readonly FailureNote[]): Promise<readonly number[]> {
    const words = notes.flatMap(({ windowMs, most, member }) => [String(windowMs), String(most), member])
    return (await this.#client.noteFailures(this.#named(notes.map(({ key }) => key)), words)) as readonly number[]
  }

  async block(key: string, reason: string, forMs: number): Promise<void> {
    await this.#client.set(this.#prefix + key, reason, { expiration: { type: "PX", value: Math.ceil(forMs) } })
  }

  async blockLeftMs(key: string): Promise<number> {
    return Math.max(0, await this.#client.pTTL(this.#prefix + key))
  }

  async remember(key: string, address: string): Promise<void> {
    await this.#client.remember(this.#named([key]), [address, String(ADDRESSES_KEPT), String(ADDRESSES_KEPT_MS)])
  }

  async isRemembered(key: string, address: string): Promise<boolean> {
    return (await this.#client.zScore(this.#prefix + key, address)) !== null
  }

  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#client.unlink(this.#named(keys))
  }

  async look({ windows, blocks, times }: LookQuestion): Promise<Look> {
    const reply = await this.#client.look(
      this.#named([...windows.map(({ key }) => key), ...blocks, ...times]),
      [windows.length, blocks.length, ...windows.map(({ windowMs }) => windowMs)].map(String),
    )
    const [counts, found, micros] = reply as LookReply
    return {
      counts: Object.fromEntries(windows.map(({ key }, at) => [key, counts[at] ?? 0])),
      blocks: found.map(([at, leftMs, reason]) => ({ key: blocks[at - 1] as string, reason, leftMs })),
      timesMs: micros.map((one) => one.map(inMs)),
    }
  }

  /** Writes, because a replica that only reads would answer a ping and refuse every decision. */
  async probe(): Promise<void> {
    await this.#client.set(`${this.#prefix}probe`, "1", { expiration: { type: "PX", value: 1_000 } })
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }

  #named(keys: readonly string[]): string[] {
    return keys.map((key) => this.#prefix + key)
  }
}

const inMs = (micros: string): number => Number(micros) / 1000
