// Opens the shared store: Redis, with a memory beside it for the time that Redis is away.
import { type Clock, systemClock } from "../clock.ts"
import type { Observer } from "../observer.ts"
import { connectRedis } from "./connect-redis.ts"
import { FailSafeStore } from "./fail-safe-store.ts"
import { MemoryStore } from "./memory-store.ts"
import { RedisStore } from "./redis-store.ts"
import type { Store } from "./store.ts"

export interface RedisStoreOptions {
  /** `redis://user:password@host:6379/0`, `rediss://` with TLS. */
  readonly url: string
  /** Before every key. Guards that share it share their counters. */
  readonly prefix?: string
  readonly observer?: Observer
  readonly clock?: Clock
}

const PREFIX = "millrace:guard:"

/** Rejects when Redis is not there after five retries. */
export async function openRedisStore({
  url,
  prefix = PREFIX,
  observer = {},
  clock = systemClock,
}: RedisStoreOptions): Promise<Store> {
  const shared = new RedisStore(await connectRedis(url, clock), prefix)
  return new FailSafeStore({ shared, memory: new MemoryStore({ nowMs: () => clock.nowMs() }), clock, observer })
}
