// Redis: yours where REDIS_URL names one, else a server of this run that keeps nothing on disk; undefined where none is installed.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createClient } from "@redis/client"
import { freePort } from "./free-port.ts"

export interface RunningRedis {
  readonly url: string
  stop(): Promise<void>
}

export const hasRedis = (): boolean => spawnSync("redis-server", ["--version"]).status === 0

export async function startRedis(): Promise<RunningRedis> {
  const port = await freePort()
  const words = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
  const server = spawn("redis-server", words, { stdio: "ignore" })
  const url = `redis://127.0.0.1:${port}`
  await untilUp(url)
  return {
    url,
    stop: async () => {
      const ended = once(server, "exit")
      server.kill("SIGTERM")
      await ended
    },
  }
}

/** The client connects again and again until it is there. */
async function untilUp(url: string): Promise<void> {
  const client = createClient({ url, socket: { reconnectStrategy: 50 } }).on("error", () => {})
  await client.connect()
  client.destroy()
}
