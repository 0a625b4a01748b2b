// One beat a second: leads or follows each loop, and runs those it leads when they are due. An idle engine sends nothing else.

import { relaysOf } from "../operations/events/relays.ts"
import { dispatchingOf } from "../operations/jobs/dispatch/dispatching.ts"
import { LeaseSweeper } from "../operations/jobs/end/sweep-leases.ts"
import { databaseWatchOf } from "../operations/kernel/database-watch.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { LOOPS, type LoopName } from "../operations/kernel/loops.ts"
import { hasSqlState, isDatabaseAway } from "../operations/kernel/run-operation.ts"
import { LOST_TERM, type Pulse, resign, takePulse, termProof } from "../operations/upkeep/take-pulse.ts"
import { LoopRunner } from "./loop-runner.ts"
import { createLoops, dispatchLoop, type Loop, sinkLoop } from "./loops.ts"

const BEAT_MS = 1_000
const SILENT_MS = 3 * BEAT_MS

export class PulseService {
  readonly #kernel: Kernel
  readonly #sweeper: LeaseSweeper
  readonly #mayLead: readonly LoopName[]
  readonly #loops = new Map<LoopName, Loop>()
  readonly #runners = new Map<LoopName, LoopRunner>()
  #terms: Pulse["terms"] = new Map()
  #timer: NodeJS.Timeout | undefined
  #beating: Promise<void> | undefined
  #stopped = false
  #healthy = false
  #answeredAt = 0
  #others = 0

  constructor(kernel: Kernel, mayLead: readonly LoopName[] = LOOPS) {
    this.#kernel = kernel
    this.#mayLead = mayLead
    this.#sweeper = new LeaseSweeper(kernel)
    for (const loop of createLoops(kernel, this.#sweeper)) this.#run(loop)
  }

  /** Whether a beat was answered of late: a database that has gone silent answers none, and refuses none either. */
  get healthy(): boolean {
    return this.#healthy && performance.now() - this.#answeredAt < SILENT_MS
  }

  get others(): number {
    return this.#others
  }

  leads(loop: LoopName): boolean {
    return this.#terms.has(loop)
  }

  start(): Promise<void> {
    return this.beat()
  }

  /** At once, and not when the second is over; after the one that is under way. */
  beat(): Promise<void> {
    this.#beating = Promise.resolve(this.#beating).then(() => this.#beat())
    return this.#beating
  }

  /** Something this process made falls due before the next beat. */
  nudge(loop: LoopName, inMs: number): void {
    if (inMs <= BEAT_MS && this.#terms.has(loop)) this.#runners.get(loop)?.dueIn(inMs)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#beating
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()))
    await resign(this.#kernel, this.#kernel.processId).catch(() => {})
  }

  async #beat(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    const startedAt = performance.now()
    try {
      const loops = [...this.#mayLead, ...this.#sinkLoops(), ...this.#dispatchLoops()]
      const pulse = await takePulse(this.#kernel, this.#kernel.processId, this.#sweeper.sweptUntilMs, loops)
      this.#healthy = true
      this.#answeredAt = performance.now()
      this.#others = pulse.others
      databaseWatchOf(this.#kernel).answered()
      this.#lead(pulse)
    } catch (error) {
      this.#healthy = false
      this.#terms = new Map()
      databaseWatchOf(this.#kernel).failed(error)
      this.#kernel.log.debug({ err: error }, "the pulse was not answered")
    }
    if (this.#stopped) return
    const next = Math.max(0, BEAT_MS - (performance.now() - startedAt))
    this.#timer = setTimeout(() => this.beat(), next)
  }

  #run(loop: Loop): void {
    this.#loops.set(loop.name, loop)
    this.#runners.set(loop.name, new LoopRunner(() => this.#tick(loop), this.#note(loop)))
  }

  /** Sinks are added while the process runs. */
  #sinkLoops(): readonly LoopName[] {
    const names = relaysOf(this.#kernel).loops
    for (const name of names) if (!this.#loops.has(name)) this.#run(sinkLoop(this.#kernel, name))
    return names
  }

  /** The dispatch loops. Empty until the process knows how jobs reach their workers. */
  #dispatchLoops(): readonly LoopName[] {
    const names = dispatchingOf(this.#kernel).loops
    for (const name of names) if (!this.#loops.has(name)) this.#run(dispatchLoop(this.#kernel, name))
    return names
  }

  #lead({ terms, due }: Pulse): void {
    this.#terms = terms
    dispatchingOf(this.#kernel).metrics?.leader.set(terms.has("dispatcher") ? 1 : 0)
    for (const loop of this.#loops.values()) {
      this.#kernel.metrics.leader.set({ loop: loop.name }, terms.has(loop.name) ? 1 : 0)
      const inMs = loop.dueAt(due) - due.now
      if (terms.has(loop.name) && inMs <= BEAT_MS) this.#runners.get(loop.name)?.dueIn(inMs)
    }
  }

  async #tick(loop: Loop): Promise<boolean> {
    const term = this.#terms.get(loop.name)
    return term === undefined ? false : loop.tick(termProof(loop.name, term))
  }

  #note = (loop: Loop) => (error: unknown) => {
    const { log } = this.#kernel
    const fields = { err: error, loop: loop.name }
    if (hasSqlState(error, LOST_TERM)) log.info({ loop: loop.name }, "another process leads this loop now")
    else if (!isDatabaseAway(error)) log.error(fields, "a loop failed; it runs again at the next pulse")
    else {
      databaseWatchOf(this.#kernel).failed(error)
      log.debug(fields, "a loop met no database")
    }
  }
}
