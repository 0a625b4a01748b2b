// Every kind of store for tests, with a way to let time pass for them.
import { answerStoreCall, DistantStore, type StoreCall } from "../stores/distant-store.ts"
import { MemoryStore } from "../stores/memory-store.ts"
import { openRedisStore } from "../stores/open-redis-store.ts"
import type { Store } from "../stores/store.ts"
import { lacksRedis, startRedis, type TestRedis } from "./redis.ts"
import { type SettableClock, settableClock } from "./settable-clock.ts"

export interface OpenedStore {
  readonly store: Store
  readonly clock: SettableClock
  /** Time passes for the store as well. */
  pass(ms: number): Promise<void>
  end(): Promise<void>
}

interface Kind {
  readonly name: string
  readonly isSkipped: boolean
  open(): Promise<OpenedStore>
}

export const memory: Kind = {
  name: "memory",
  isSkipped: false,
  async open() {
    const clock = settableClock()
    return { store: new MemoryStore(clock), clock, pass: async (ms) => clock.advance(ms), end: async () => {} }
  },
}

/** What is sent and answered goes through JSON, as it does between processes. */
export const distant: Kind = {
  name: "the memory of another process",
  isSkipped: false,
  async open() {
    const clock = settableClock()
    const kept = new MemoryStore(clock)
    const copy = (value: unknown) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
    const store = new DistantStore(async (call) => copy(await answerStoreCall(kept, copy(call) as StoreCall)))
    return { store, clock, pass: async (ms) => clock.advance(ms), end: async () => {} }
  },
}

export const redis: Kind = {
  name: "redis-server (package redis-server)",
  isSkipped: lacksRedis,
  async open() {
    const server: TestRedis = await startRedis()
    // A clock that stands still while a call is under way: on a busy machine none is late.
    const clock = settableClock()
    const store = await openRedisStore({ url: server.url, clock })
    return {
      store,
      clock,
      async pass(ms) {
        await server.send("EVAL", AGE, "0", String(ms))
        clock.advance(ms)
      },
      async end() {
        await store.close()
        await server.stop()
      },
    }
  },
}

/**
 * Makes everything that is stored older, and ends what has run out. No test waits for that, so a window may be longer than a busy
 * machine stands still.
 */
const AGE = `
local ms = tonumber(ARGV[1])
for _, key in ipairs(redis.call('KEYS', '*')) do
  if redis.call('TYPE', key).ok == 'zset' then
    local entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for at = 1, #entries, 2 do
      redis.call('ZADD', key, string.format('%.0f', tonumber(entries[at + 1]) - ms * 1000), entries[at])
    end
  end
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, left - ms) end
end
`
