// What goes wrong beside the statements: engines that died are started again, some are stopped, and the database's clock is stepped.
import { ProcessDied } from "../virtual-process.ts"
import { Caller, sleep } from "./caller.ts"

const MOST_FAILED_STARTS = 5

export class Nemesis extends Caller {
  /** How many starts failed in a row after the last fault. */
  #failedStarts = 0

  /** Keeps as many engines running as there should be. */
  async restart(): Promise<void> {
    for (;;) {
      const { cluster, profile } = this.simulation
      while (cluster.size < profile.engines) void this.#start()
      await sleep(this.dice.between(100, 2_000))
    }
  }

  async stepClocks(): Promise<void> {
    const { clockSteps, stepsBack, busyMs } = this.simulation.profile
    for (let n = 0; n < clockSteps; n++) {
      await sleep(this.dice.between(0, busyMs / clockSteps))
      const ms = this.dice.pick(stepsBack ? [-700, -5_000] : [500, 5_000, 60_000])
      this.simulation.time.skewMs += ms
      this.simulation.note(`CLOCK of the database steps by ${ms}`)
    }
  }

  async stopEngines(): Promise<void> {
    const { stops, busyMs } = this.simulation.profile
    for (let n = 0; n < stops; n++) {
      await sleep(this.dice.between(0, busyMs / stops))
      const engine = this.simulation.cluster.pick(this.dice)
      if (!engine) continue
      this.simulation.note(`STOP ${engine.process.name}`)
      await this.simulation.cluster.stop(engine).catch(ignoreDeath)
    }
  }

  /** A start may meet a lock that another engine holds, and is tried again; in the end one has to succeed. */
  async #start(): Promise<void> {
    await this.simulation.cluster.start().then(
      () => {
        this.#failedStarts = 0
      },
      (error: unknown) => {
        if (error instanceof ProcessDied || !this.simulation.isHealed) return
        this.#failedStarts += 1
        if (this.#failedStarts > MOST_FAILED_STARTS) this.ledger.violate(`no engine starts any more: ${String(error)}`)
      },
    )
  }
}

function ignoreDeath(error: unknown): void {
  if (!(error instanceof ProcessDied)) throw error
}
