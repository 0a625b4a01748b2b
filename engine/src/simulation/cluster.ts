// The engines of a simulation: each a process of its own, started, stopped, killed and started again.
import { loadConfig } from "../config.ts"
import { type Core, openCore } from "../core.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { createLogger } from "../support/log.ts"
import { watchApplication } from "../test-support/statement-gate.ts"
import type { Dice } from "./dice.ts"
import type { Traffic } from "./traffic.ts"
import { putInto } from "./virtual-globals.ts"
import { VirtualProcess } from "./virtual-process.ts"
import type { VirtualTime } from "./virtual-time.ts"

export interface Engine {
  readonly process: VirtualProcess
  readonly core: Core
}

interface Place {
  readonly dsn: string
  readonly dice: Dice
  readonly time: VirtualTime
  readonly traffic: Traffic
  /** Does something to processes from outside, when the simulation comes to it. */
  readonly perform: (action: () => Promise<void>) => Promise<void>
}

const CONNECTIONS = "4"
/** The settings of the simulated engines: as small as the leases, claims and timers of the workload. */
const SETTINGS = { DB_MAX_CONNS: CONNECTIONS, WE_MAX_LOST_LEASES: "3", WE_PACK_FROM: "1" }

const LOOK_MS = 20

export class Cluster {
  readonly #place: Place
  readonly #engines = new Set<Engine>()
  readonly #opening = new Set<VirtualProcess>()
  readonly #unwatch: (() => void)[] = []
  /** What engines have logged as errors. */
  readonly errors: string[] = []
  /** What an engine does when it has started, as the program around it would. */
  prepare: (kernel: Kernel, process: VirtualProcess) => Promise<void> = async () => {}
  /** What it does before it stops. */
  leave: (kernel: Kernel) => Promise<void> = async () => {}
  readonly #made: VirtualProcess[] = []

  constructor(place: Place) {
    this.#place = place
  }

  /** The engines that are up. */
  get engines(): readonly Engine[] {
    return [...this.#engines]
  }

  get size(): number {
    return this.#engines.size + this.#opening.size
  }

  /** Any that is up; undefined while none is. */
  pick(dice: Dice): Engine | undefined {
    return this.#engines.size > 0 ? dice.pick(this.engines) : undefined
  }

  /** Rejects where the process dies before it is up. */
  async start(): Promise<Engine> {
    const { dice, time, traffic } = this.#place
    const process = new VirtualProcess(`engine-${this.#made.length + 1}`, dice.fork())
    this.#unwatch.push(watchApplication(process.name, traffic.keeperOf(process)))
    putInto(time, process)
    this.#made.push(process)
    this.#opening.add(process)
    try {
      const core = await process.call(() => this.#open(process))
      const engine = { process, core }
      this.#engines.add(engine)
      return engine
    } catch (error) {
      // A process that could not start ends.
      await this.#place.perform(() => this.kill(process))
      throw error
    } finally {
      this.#opening.delete(process)
    }
  }

  async #open(process: VirtualProcess): Promise<Core> {
    const url = new URL(this.#place.dsn)
    url.searchParams.set("application_name", process.name)
    const config = loadConfig({ env: { WE_POSTGRES_DSN: url.toString(), ...SETTINGS } })
    const write = (line: string) => void (process.isAlive && this.errors.push(`${process.name}: ${line.trim()}`))
    const core = await openCore(config, createLogger({ level: "error", destination: { write } }))
    await this.prepare(core.kernel, process)
    return core
  }

  /** A graceful stop by an operator: the engine takes no more calls, and finishes what it has begun. */
  async stop(engine: Engine): Promise<void> {
    this.#engines.delete(engine)
    while (engine.process.calls > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    await engine.process.call(async () => {
      await this.leave(engine.core.kernel)
      await engine.core.stop()
    })
    await this.#place.perform(() => this.kill(engine.process))
  }

  /** The same effect as kill -9: connections are cut, and timers and promises of the process never go on. */
  async kill(process: VirtualProcess): Promise<void> {
    for (const engine of this.#engines) if (engine.process === process) this.#engines.delete(engine)
    process.die()
    this.#place.time.forget(process)
    await this.#place.traffic.drop(process)
  }

  async close(): Promise<void> {
    for (const process of this.#made) if (process.isAlive) await this.kill(process)
    for (const unwatch of this.#unwatch) unwatch()
  }
}
