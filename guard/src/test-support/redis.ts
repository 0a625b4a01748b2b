// A real Redis for a test: on a free port, keeping nothing on disk. Skipped by name where it is not asked for or not installed.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@redis/client"

/** What needs Redis is skipped by name unless MILLRACE_FULL_TESTS is set and redis-server is there. */
export const lacksRedis: boolean =
  !process.env.MILLRACE_FULL_TESTS || spawnSync("redis-server", ["--version"]).status !== 0

export interface TestRedis {
  readonly port: number
  readonly url: string
  /** The answer of one command, over a connection of its own. */
  send(...words: string[]): Promise<unknown>
  stop(): Promise<void>
  /** Starts it again on the same port, without data. */
  restart(): Promise<void>
}

export async function startRedis(...settings: string[]): Promise<TestRedis> {
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const launch = async (): Promise<ChildProcess> => {
    // A replica writes what it is sent to a file, and the next server that starts in the same folder would read it.
    const folder = mkdtempSync(join(tmpdir(), "millrace-redis-"))
    const words = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
    const child = spawn("redis-server", [...words, ...settings], { stdio: "ignore" })
    child.once("exit", () => rmSync(folder, { recursive: true, force: true }))
    await withClient(url, async () => {})
    return child
  }
  let server = await launch()
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, "exit")
    server.kill("SIGKILL")
    await ended
  }
  return {
    port,
    url,
    send: (...words) => withClient(url, (client) => client.sendCommand(words)),
    stop,
    async restart() {
      await stop()
      server = await launch()
    },
  }
}

/** The client connects again and again until the server is there. */
async function withClient<T>(
  url: string,
  use: (client: { sendCommand(words: string[]): Promise<unknown> }) => Promise<T>,
) {
  const client = createClient({ url, socket: { reconnectStrategy: 20 } }).on("error", () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    client.destroy()
  }
}

/** Below those that the system gives to outgoing connections: such a connection would hold it in the meantime. */
const [LOWEST, HIGHEST] = [12_000, 30_000]

export async function freePort(): Promise<number> {
  const port = randomInt(LOWEST, HIGHEST)
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}
