// A process that calls a shared store for many clients, and says how many of each client's calls were admitted.
import { systemClock } from "../clock.ts"
import { connectRedis } from "../stores/connect-redis.ts"
import { RedisStore } from "../stores/redis-store.ts"

const [url = "", clients = "0", calls = "0"] = process.argv.slice(2)
const LANES = 64

const store = new RedisStore(await connectRedis(url, systemClock), "hammer:")
const admitted = new Array<number>(Number(clients)).fill(0)
const total = Number(clients) * Number(calls)
let next = 0

async function lane(): Promise<void> {
  while (next < total) {
    const client = next++ % admitted.length
    const rate = { key: `rate_limit:key:${client}`, requests: 10, windowMs: 600_000, isEnforced: true }
    const answer = await store.ask({ rate, blocks: [] })
    if (answer.rate?.isAdmitted) admitted[client]!++
  }
}

await Promise.all(Array.from({ length: LANES }, lane))
process.send?.(admitted)
await store.close()
