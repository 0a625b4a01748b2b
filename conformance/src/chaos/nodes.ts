// The processes under test: started, killed with -9 by pid, and started again in the same slot with the next life.
import { type ChildProcess, fork, spawn } from "node:child_process"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type DispatchMode, type DispatchOrder, dispatchEnvironment } from "./kafka/dispatch-mode.ts"
import { MOST_LOST_LEASES } from "./workload.ts"

/** What a process gets when it starts. */
export interface NodeOrder extends DispatchOrder {
  readonly role: Role
  readonly dsn: string
  readonly slot: number
  readonly life: number
  readonly folder: string
  readonly seed: number
  /** The port of the REST server, for processes that need it. */
  readonly port?: number
  /** The ports of all REST servers, for processes that use them in turn. */
  readonly ports?: readonly number[]
  /** The port of the engine's gRPC. Without it any free port is used. */
  readonly grpcPort?: number
}

export type Role = "engine" | "server" | "worker" | "kafka-worker" | "flood-worker"

/** Node 20 runs what was built, also when this file is run from its source. */
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const PROGRAMS = { engine: "engine", worker: "worker", "kafka-worker": "worker", "flood-worker": "flood" }

/** The server is the production command itself; it says nothing over a channel, so it is asked whether it is ready. */
const launch = (order: NodeOrder): ChildProcess =>
  order.role === "server"
    ? spawn(process.execPath, [at("../../../engine/dist/cli.js"), "start"], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...serverEnvironment(order) },
      })
    : fork(at(`../../dist/chaos/${PROGRAMS[order.role]}-node.js`), [JSON.stringify(order)], {
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      })

const serverEnvironment = ({ dsn, port, grpcPort = 0, ...dispatch }: NodeOrder) => ({
  ...dispatchEnvironment(dispatch),
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
  /** PostgreSQL or the broker is killed too, and may not be there when a process starts. */
  readonly othersMayBeAway: boolean
}

const RESTART_AFTER_MS = 500

export class Slot {
  readonly #order: Omit<NodeOrder, "life">
  readonly #onDeath: (what: string) => void
  readonly #othersMayBeAway: boolean
  #life = 0
  #process: ChildProcess | undefined
  #ready: Promise<void> = Promise.resolve()
  #expected = false
  #isFrozen = false
  #runsIn: DispatchMode = "polling"
  /** The mode of dispatch from the next life on. */
  nextMode: DispatchMode = "polling"

  constructor(order: Omit<NodeOrder, "life">, { onDeath, othersMayBeAway }: Circumstances) {
    this.#othersMayBeAway = othersMayBeAway
    this.#order = order
    this.#onDeath = onDeath
  }

  get role(): Role {
    return this.#order.role
  }

  get name(): string {
    return `${this.role}-${this.#order.slot}`
  }

  /** The mode of dispatch of this life. */
  get runsIn(): DispatchMode {
    return this.#runsIn
  }

  start(): void {
    this.#life += 1
    this.#runsIn = this.nextMode
    const order: NodeOrder = { ...this.#order, mode: this.#runsIn, life: this.#life }
    const child = launch(order)
    const log = createWriteStream(join(order.folder, `${this.name}.log`), { flags: "a" })
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
      if (this.role === "server")
        void answers(order.port, () => hasEnded(child)).then(() => !hasEnded(child) && becameReady())
      child.once("exit", (code, signal) => {
        // Without a database or a broker a process says so and ends; its supervisor starts it again.
        if (this.#othersMayBeAway && !isReady && !this.#expected) return void this.#startAgain().then(resolve)
        resolve()
        if (!this.#expected)
          this.#onDeath(`${this.name}, life ${order.life}, ended by itself: ${signal ?? `exit code ${code}`}`)
      })
    })
  }

  async #startAgain(): Promise<void> {
    const life = this.#life
    await sleep(RESTART_AFTER_MS)
    if (this.#expected || this.#life > life) return
    this.start()
    await this.#ready
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

  /** Stops where it stands, and goes on after a while. False where it is frozen already. */
  freeze(forMs: number): boolean {
    const child = this.#process
    if (!child || hasEnded(child) || this.#isFrozen) return false
    child.kill("SIGSTOP")
    this.#isFrozen = true
    setTimeout(() => {
      this.#isFrozen = false
      if (!hasEnded(child)) child.kill("SIGCONT")
    }, forMs)
    return true
  }

  tell(message: "drain" | "stop"): void {
    if (this.#process?.connected) this.#process.send(message)
  }

  /** Lets it stop by itself; kills it when it does not. False when it had to be killed. */
  async stop(withinMs: number): Promise<boolean> {
    const child = this.#process
    this.#expected = true
    if (!child || hasEnded(child)) return true
    const gone = new Promise<boolean>((resolve) => child.once("exit", (code) => resolve(code === 0)))
    if (this.role === "server") child.kill("SIGTERM")
    else this.tell("stop")
    const timer = setTimeout(() => child.kill("SIGKILL"), withinMs)
    const graceful = await gone
    clearTimeout(timer)
    return graceful
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null
