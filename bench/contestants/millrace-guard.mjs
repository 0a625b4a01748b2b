// Millrace with the guard off, with its counters in memory, and with its counters in Redis: three servers on one database, one key for all.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { startRedis } from "../measure/redis-server.mjs"
import { ENGINE } from "./engine-folder.mjs"
import { SDK, startServer } from "./millrace-engine.mjs"

/** Out of reach: every call is counted, and none is refused. */
const LIMIT = "1000000/60s"

const AUTH = { WE_AUTH: "required" }

export async function createGuarded({ dsn, directory }) {
  const redis = await startRedis(directory, { appendonly: "no" })
  const settings = {
    off: { WE_GUARD: "off" },
    memory: { WE_GUARD: "on" },
    redis: { WE_GUARD: "on", WE_GUARD_REDIS_URL: `redis://127.0.0.1:${redis.port}` },
  }
  const servers = {}
  // One after the other: the first makes the tables.
  for (const [name, env] of Object.entries(settings)) servers[name] = await startServer(dsn, { ...AUTH, ...env })
  const apiKey = makeKey(dsn)
  for (const [name, { url }] of Object.entries(servers)) await checkCounted(url, { apiKey, isCounted: name !== "off" })
  const { EngineClient } = await import(SDK)
  const client = new EngineClient({ url: servers.off.url, apiKey })
  return {
    settings: { limit: LIMIT },
    urls: Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, url])),
    authorization: `Bearer ${apiKey}`,
    upload: (definition) => client.uploadDefinition(definition),
    async close() {
      await Promise.all(Object.values(servers).map((server) => server.stop()))
      await redis.stop()
    },
  }
}

/** What does not count would be fast, too. */
async function checkCounted(url, { apiKey, isCounted }) {
  const { headers } = await fetch(`${url}/v1/instances`, { headers: { authorization: `Bearer ${apiKey}` } })
  if (headers.has("x-ratelimit-remaining") !== isCounted)
    throw new Error(`the calls of the key are ${isCounted ? "not " : ""}counted`)
}

function makeKey(dsn) {
  const cli = fileURLToPath(new URL("dist/cli.js", ENGINE))
  const words = [cli, "keys", "create", "bench", "--scope", "admin", "--limit", LIMIT]
  const env = { PATH: process.env.PATH, WE_POSTGRES_DSN: dsn }
  return /mill_[0-9a-f]{16}_\w+/.exec(execFileSync(process.execPath, words, { env, encoding: "utf8" }))[0]
}
