// Notices events that a program has published in SQL or in a transaction of another process: nothing tells of their commit. A glance is one
// short statement, ten times a second, and only in a process that leads a sink. While a transaction that has published stays open, the
// sinks look at every glance: it may commit at any time.
import { glanceAtEvents } from "../operations/events/glance-at-events.ts"
import { relaysOf } from "../operations/events/relays.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import type { LoopName } from "../operations/kernel/loops.ts"

const EVERY_MS = 100

export class EventWatchService {
  readonly #kernel: Kernel
  readonly #leads: (loop: LoopName) => boolean
  #timer: NodeJS.Timeout | undefined
  #glancing: Promise<void> | undefined
  #lastSeq: number | undefined

  constructor(kernel: Kernel, leads: (loop: LoopName) => boolean) {
    this.#kernel = kernel
    this.#leads = leads
  }

  start(): void {
    this.#timer = setInterval(() => this.#glance(), EVERY_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#glancing
  }

  #glance(): void {
    if (!relaysOf(this.#kernel).loops.some(this.#leads)) return
    this.#glancing ??= this.#compare()
      // Whether the database answers is said elsewhere, and the pulse finds what was missed.
      .catch((error) => this.#kernel.log.debug({ err: error }, "the outbox was not looked at"))
      .finally(() => (this.#glancing = undefined))
  }

  async #compare(): Promise<void> {
    const lastSeq = await glanceAtEvents(this.#kernel)
    const relays = relaysOf(this.#kernel)
    if (this.#lastSeq !== undefined && lastSeq !== this.#lastSeq) relays.lookSoon()
    else relays.lookForCommits(this.#leads, lastSeq)
    this.#lastSeq = lastSeq
  }
}
