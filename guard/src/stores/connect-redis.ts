// A connection to Redis that never makes a request wait for a reconnection, and a start that is patient.
import type { Clock } from "../clock.ts"
import { loadRedis, type RedisModule } from "./load-redis.ts"
import { ASK, LOOK, NOTE_FAILURES, REMEMBER } from "./redis-scripts.ts"

const RETRIES = 5
const FIRST_WAIT_MS = 1_000
const CONNECT_MS = 2_000
/** While Redis stands still, commands of requests that have given up wait here. */
const MOST_QUEUED = 10_000

const createClient = (redis: RedisModule, url: string, mayReconnect: () => boolean) => {
  const script = (text: string) =>
    redis.defineScript({
      SCRIPT: text,
      parseCommand(parser, keys: readonly string[], words: readonly string[]) {
        parser.pushKeysLength([...keys])
        parser.push(...words)
      },
      transformReply: undefined as unknown as () => unknown,
    })
  return redis.createClient({
    url,
    scripts: {
      ask: script(ASK),
      noteFailures: script(NOTE_FAILURES),
      remember: script(REMEMBER),
      look: script(LOOK),
    },
    disableOfflineQueue: true,
    commandsQueueMaxLength: MOST_QUEUED,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (tries) => (mayReconnect() ? Math.min(50 * 2 ** tries, 1_000) : false),
    },
  })
}

export type RedisClient = ReturnType<typeof createClient>

/** Tries once and five times more, after 1, 2, 4, 8 and 16 s. */
export async function connectRedis(url: string, clock: Clock): Promise<RedisClient> {
  const redis = await loadRedis()
  for (let retry = 0; ; retry++) {
    try {
      return await connectOnce(redis, url)
    } catch (error) {
      if (retry === RETRIES)
        throw new Error(`Redis cannot be reached: ${(error as Error).message}. Start it, or name another one.`)
      await new Promise<void>((resume) => clock.after(FIRST_WAIT_MS * 2 ** retry, resume))
    }
  }
}

/** Once it was connected it reconnects for as long as the process lives. */
async function connectOnce(redis: RedisModule, url: string): Promise<RedisClient> {
  let isConnected = false
  const client = createClient(redis, url, () => isConnected)
  // What goes wrong is seen by the calls that fail; an event without a listener would end the process.
  client.on("error", () => {})
  try {
    await client.connect()
  } catch (error) {
    if (client.isOpen) client.destroy()
    throw error
  }
  isConnected = true
  return client
}
