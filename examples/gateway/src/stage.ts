// The shop and a gateway in front of it: `millrace gateway` in a process of its own, as an operator would run it.
import { spawn } from "node:child_process"
import { randomBytes, randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { startUpstream } from "./upstream.ts"

export interface Stage {
  readonly gatewayUrl: string
  readonly upstreamUrl: string
  close(): Promise<void>
}

interface StageOptions {
  /** Where its embedded database is; left out where `WE_POSTGRES_DSN` names one. */
  readonly dataDir?: string | undefined
  /** A free one, unless it is told. */
  readonly port?: number | undefined
}

const CLI = fileURLToPath(new URL("../bin/millrace.js", import.meta.resolve("millrace")))

export async function openStage({ dataDir, port }: StageOptions = {}): Promise<Stage> {
  const upstream = await startUpstream()
  const restPort = port ?? (await freePort())
  const gateway = spawn(process.execPath, [CLI, "gateway", "--upstream", upstream.url, "--port", String(restPort)], {
    env: { ...process.env, ...settings(), ...(dataDir === undefined ? {} : { WE_DATA_DIR: dataDir }) },
    stdio: ["ignore", "ignore", "inherit"],
  })
  const exited = once(gateway, "exit")
  const gatewayUrl = `http://127.0.0.1:${restPort}`
  const close = async () => {
    if (gateway.exitCode === null) gateway.kill("SIGTERM")
    await exited
    await upstream.close()
  }
  try {
    await untilReady(gatewayUrl, () => gateway.exitCode !== null)
  } catch (error) {
    await close()
    throw error
  }
  return { gatewayUrl, upstreamUrl: upstream.url, close }
}

/** Users come from addresses of their own, which a proxy on this machine would tell; and they may register themselves. */
const settings = (): NodeJS.ProcessEnv => ({
  WE_TRUSTED_PROXIES: "127.0.0.1",
  WE_REGISTRATION: "true",
  WE_JWT_SECRET: randomBytes(32).toString("hex"),
  WE_METRICS_PORT: "0",
  WE_LOG_LEVEL: "error",
})

async function untilReady(url: string, hasEnded: () => boolean): Promise<void> {
  while (!hasEnded()) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    if (response?.ok) return
    await sleep(100)
  }
  throw new Error("the gateway did not start: its own words are above")
}

/** Below those that the system gives to outgoing connections: one of them would take it before it is bound. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 30_000)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
