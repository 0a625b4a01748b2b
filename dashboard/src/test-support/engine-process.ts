// A whole engine as people run it, `millrace dev` with its own database, for one test file.
import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the built repository. Another build of it can be tested too. */
const ROOT = process.env.MILLRACE_TEST_ROOT ?? fileURLToPath(new URL("../../../", import.meta.url))

export interface EngineProcess {
  readonly url: string
  /** Where its database lives: the command line finds it there. */
  readonly dataDir: string
  get<T>(path: string): Promise<T>
  /** Throws when it is refused. */
  send<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Kills it without a word; its database goes on. */
  kill(): Promise<void>
  /** The same engine on the same port, again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export async function startEngine(env: Readonly<Record<string, string>> = {}): Promise<EngineProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-ui-"))
  const settings = {
    WE_DATA_DIR: dataDir,
    WE_METRICS_PORT: "0",
    WE_GRPC_PORT: "0",
    WE_REST_PORT: String(await steadyPort()),
    WE_LOG_LEVEL: "warn",
    ...env,
  }
  let running = await launch(settings)
  const { url } = running
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  }
  return {
    url,
    dataDir,
    get: (path) => ask("GET", path),
    send: ask,
    kill: () => end(running.child, "SIGKILL"),
    async restart() {
      await end(running.child, "SIGTERM")
      running = await launch(settings)
    },
    async stop() {
      await end(running.child, "SIGTERM")
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The command line on the database of an engine, as `millrace keys create` needs it. */
export function runCli(engine: Pick<EngineProcess, "dataDir">, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, "engine/dist/cli.js"), ...args], {
    env: { ...surroundings(), WE_DATA_DIR: engine.dataDir },
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk))
  return new Promise((resolve, reject) =>
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(output)))),
  )
}

/** Without a database that another test file has named: these engines bring their own. */
const surroundings = () => ({ ...process.env, DATABASE_URL: undefined, WE_POSTGRES_DSN: undefined })

function launch(env: Readonly<Record<string, string>>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [join(ROOT, "engine/dist/cli.js"), "dev"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...surroundings(), ...env },
  })
  let output = ""
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const url = /REST\s+(http:\S+)/.exec(output)?.[1]
      if (url) resolve({ child, url })
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.on("close", () => reject(new Error(`the engine ended before it ran: ${output}`)))
  })
}

/** Below those that outgoing connections are given: none takes it while the engine starts again. */
async function steadyPort(): Promise<number> {
  const port = randomInt(12_000, 30_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
  return isFree ? port : steadyPort()
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once("close", () => resolve())
    child.kill(signal)
  })
}
