// The engine in a process of its own, on an embedded PostgreSQL: `millrace dev`, on free ports and in a folder of ours.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export interface EngineProcess {
  readonly url: string
  /** Of its database, for the processor and for queries. */
  readonly database: string
  stop(): Promise<void>
}

const COMMAND = fileURLToPath(new URL("../bin/millrace.js", import.meta.resolve("millrace")))

export async function startEngine(dataDir: string, alertWebhook: string): Promise<EngineProcess> {
  const { WE_POSTGRES_DSN: _, DATABASE_URL: __, ...inherited } = process.env
  const own = {
    WE_DATA_DIR: dataDir,
    WE_REST_PORT: "0",
    WE_METRICS_PORT: "0",
    WE_GRPC_PORT: "0",
    WE_LOG_LEVEL: "error",
  }
  const env = { ...inherited, ...own, WE_ALERT_WEBHOOK: alertWebhook }
  // In a group of its own: Ctrl-C is for this process, which then ends everything in order.
  const child = spawn(process.execPath, [COMMAND, "dev"], { env, detached: true, stdio: ["ignore", "ignore", "pipe"] })
  const end = () => child.kill()
  process.once("exit", end)
  const banner = await textUntil(child, /Ctrl-C/)
  return {
    url: /REST\s+(\S+)/.exec(banner)?.[1] ?? "",
    database: connectionString(dataDir),
    async stop() {
      process.off("exit", end)
      const ended = once(child, "exit")
      if (child.kill()) await ended
    },
  }
}

function textUntil(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ""
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk
      if (pattern.test(text)) resolve(text)
    })
    child.once("exit", (code) => reject(new Error(`the engine ended with ${code}: ${text}`)))
  })
}

function connectionString(dataDir: string): string {
  const content = (name: string) => readFileSync(join(dataDir, name), "utf8").trim()
  return `postgres://millrace:${content("password")}@127.0.0.1:${content("port")}/millrace`
}
