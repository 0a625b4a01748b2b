// The processes under test: started, killed with -9 by pid, and started again in the same slot with the next life.
import { type ChildProcess, fork, spawn } from "node:child_process"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { MOST_LOST_LEASES } from "./workload.ts"

/** What a process is told when it starts. */
export interface NodeOrder {
  readonly dsn: string
  readonly slot: number
  readonly life: number
  readonly folder: string
  readonly seed: number
  /** Of the REST server, for those that need it. */
  readonly port?: number
  /** Of its gRPC; any that is free without one. */
  readonly grpcPort?: number
}

export type Role = "engine" | "server" | "worker"

/** Node 20 runs what was built, also when this file is run from its source. */
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The server is the production command itself; it says nothing over a channel, so it is asked whether it is ready. */
const launch = (role: Role, order: NodeOrder): ChildProcess =>
  role === "server"
    ? spawn(process.execPath, [at("../../../engine/dist/cli.js"), "start"], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...serverEnvironment(order) },
      })
    : fork(at(`../../dist/chaos/${role}-node.js`), [JSON.stringify(order)], {
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      })

const serverEnvironment = ({ dsn, port, grpcPort = 0 }: NodeOrder) => ({
  WE_POSTGRES_DSN: dsn,
  WE_REST_PORT: String(port),
  WE_METRICS_PORT: "0",
  WE_GRPC_PORT: String(grpcPort),
  WE_MAX_LOST_LEASES: String(MOST_LOST_LEASES),
  WE_LOG_LEVEL: "warn",
  DB_MAX_CONNS: "8",
})

async function answers(port: number | undefined, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(100)
  }
}

interface Circumstances {
  readonly onDeath: (what: string) => void
  /** PostgreSQL is killed too, and may not be there when a process starts. */
  readonly databaseMayBeAway: boolean
}

const RESTART_AFTER_MS = 500

export class Slot {
  readonly #role: Role
  readonly #order: Omit<NodeOrder, "life">
  readonly #onDeath: (what: string) => void
  readonly #databaseMayBeAway: boolean
  #life = 0
  #process: ChildProcess | undefined
  #ready: Promise<void> = Promise.resolve()
  #expected = false

  constructor(role: Role, order: Omit<NodeOrder, "life">, { onDeath, databaseMayBeAway }: Circumstances) {
    this.#databaseMayBeAway = databaseMayBeAway
    this.#role = role
    this.#order = order
    this.#onDeath = onDeath
  }

  start(): void {
    this.#life += 1
    const name = `${this.#role}-${this.#order.slot}`
    const order: NodeOrder = { ...this.#order, life: this.#life }
    const child = launch(this.#role, order)
    const log = createWriteStream(join(order.folder, `${name}.log`), { flags: "a" })
    child.stdout?.pipe(log)
    child.stderr?.pipe(log)
    this.#expected = false
    this.#process = child
    let isReady = false
    this.#ready = new Promise((resolve) => {
      const becameReady = () => {
        isReady = true
        resolve()
      }
      child.on("message", becameReady)
      if (this.#role === "server")
        void answers(order.port, () => hasEnded(child)).then(() => !hasEnded(child) && becameReady())
      child.once("exit", (code, signal) => {
        resolve()
        if (this.#expected) return
        // Without a database a process says so and ends; whoever runs it starts it again.
        if (this.#databaseMayBeAway && !isReady) setTimeout(() => this.#expected || this.start(), RESTART_AFTER_MS)
        else this.#onDeath(`${name}, life ${order.life}, ended by itself: ${signal ?? `exit code ${code}`}`)
      })
    })
  }

  /** Ready, or dead. */
  get ready(): Promise<void> {
    return this.#ready
  }

  async kill(): Promise<void> {
    const child = this.#process
    this.#expected = true
    if (!child || hasEnded(child)) return
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await gone
  }

  tell(message: "drain" | "stop"): void {
    if (this.#process?.connected) this.#process.send(message)
  }

  /** Lets it stop by itself; kills it when it does not. False when it had to be killed. */
  async stop(withinMs: number): Promise<boolean> {
    const child = this.#process
    if (!child || hasEnded(child)) return true
    this.#expected = true
    const gone = new Promise<boolean>((resolve) => child.once("exit", (code) => resolve(code === 0)))
    if (this.#role === "server") child.kill("SIGTERM")
    else this.tell("stop")
    const timer = setTimeout(() => child.kill("SIGKILL"), withinMs)
    const graceful = await gone
    clearTimeout(timer)
    return graceful
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null
