// An engine in a process of its own, from the command line of any checkout.
import { spawn } from "node:child_process"
import { setTimeout as pause } from "node:timers/promises"
import { steadyPort } from "../../../engine/dist/test-support/steady-port.js"
import type { EngineUrls } from "../scenarios/cell/open-cell.ts"

export interface RunningEngine {
  readonly urls: EngineUrls
  /** The addresses of the Kafka that the engine dispatches through, if it does. */
  readonly brokers: string | undefined
  stop(): Promise<void>
}

export interface EngineProcess extends RunningEngine {
  readonly pid: number
  /** What it wrote last. */
  said(): string
}

/** How much of its last output is shown when it ends too early. */
const SAID = 2_000

/** Ready when it says so itself. */
export async function startEngineProcess(
  cli: string,
  env: Readonly<Record<string, string>>,
  words: readonly string[] = ["start"],
): Promise<EngineProcess> {
  const [restPort, grpcPort, metricsPort] = await freePorts(3)
  const ports = { WE_REST_PORT: `${restPort}`, WE_GRPC_PORT: `${grpcPort}`, WE_METRICS_PORT: `${metricsPort}` }
  const child = spawn(process.execPath, [cli, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env, ...ports },
  })
  let said = ""
  for (const out of [child.stdout, child.stderr])
    out.on("data", (part: Buffer) => {
      said = `${said}${part}`.slice(-SAID)
    })
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const urls = {
    rest: `http://127.0.0.1:${restPort}`,
    grpc: `grpc://127.0.0.1:${grpcPort}`,
    metrics: `http://127.0.0.1:${metricsPort}`,
  }
  while (child.exitCode === null && !(await isReady(urls.rest))) await pause(100)
  if (child.exitCode !== null) throw new Error(`the engine ended with ${child.exitCode}: ${said.trim()}`)
  return {
    urls,
    brokers: undefined,
    pid: child.pid as number,
    said: () => said.trim(),
    async stop() {
      child.kill("SIGTERM")
      await gone
    },
  }
}

export const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** No connection that goes out takes one of them before the engine does. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await steadyPort())
  return [...ports]
}
