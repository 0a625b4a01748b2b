// The sinks that this process can send to, each with its relay. A process that has none does nothing for events but publish them.
import { insertSink, type SinkKind } from "../../store/events/sinks.ts"
import { conflict } from "../../support/errors.ts"
import { type Kernel, perKernel } from "../kernel/kernel.ts"
import type { ProveTerm, SinkLoop } from "../kernel/loops.ts"
import { Relay, type RelayOptions } from "./relay.ts"
import type { Sink } from "./sink.ts"

export interface SinkSpec extends RelayOptions {
  readonly sink: Sink
  readonly kind: SinkKind
}

const loopOf = (sinkName: string): SinkLoop => `sink:${sinkName}`

class Relays {
  readonly #kernel: Kernel
  readonly #relays = new Map<SinkLoop, Relay>()
  #isUsed = false
  #listener = () => {}

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  async add({ sink, kind, ...options }: SinkSpec): Promise<void> {
    const loop = loopOf(sink.name)
    if (this.#relays.has(loop)) throw conflict(`there is a sink ${sink.name} in this process already`)
    this.#isUsed = true
    const relay = new Relay(this.#kernel, sink, options)
    this.#relays.set(loop, relay)
    await insertSink(this.#kernel.db, sink.name, kind).catch((error) => {
      this.#relays.delete(loop)
      throw error
    })
  }

  /** What is being sent is given up; it stays where it is, for another process or a later start. */
  async remove(sinkName: string): Promise<void> {
    const relay = this.#relays.get(loopOf(sinkName))
    this.#relays.delete(loopOf(sinkName))
    await relay?.close()
  }

  /** Whether this process has published anything, or sends it. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  get names(): string[] {
    return [...this.#relays.values()].map(({ sinkName }) => sinkName)
  }

  get loops(): SinkLoop[] {
    return [...this.#relays.keys()]
  }

  /** One round of a sink; false when nothing is left to do, or this process has no such sink. */
  async tick(loop: SinkLoop, proveTerm: ProveTerm): Promise<boolean> {
    const relay = this.#relays.get(loop)
    if (!relay) return false
    if (await relay.round(proveTerm)) return true
    const againMs = relay.looks.next()
    if (againMs !== undefined) this.#kernel.nudge(loop, againMs)
    return false
  }

  /** Told when this process has published: other processes may have sinks for it. */
  onPublished(listener: () => void): void {
    this.#listener = listener
  }

  /** Events were committed. */
  wake(): void {
    this.#isUsed = true
    this.lookSoon()
    this.#listener()
  }

  /** At once, unless it is said; and a few times after that. */
  lookSoon(inMs = 0): void {
    for (const [loop, relay] of this.#relays) {
      relay.looks.extend()
      this.#kernel.nudge(loop, inMs)
    }
  }

  /** One look of each sink that is led here and has not seen the end of every transaction that took a place up to this one. */
  lookForCommits(leads: (loop: SinkLoop) => boolean, lastSeq: number): void {
    for (const [loop, relay] of this.#relays) if (leads(loop) && relay.mayMiss(lastSeq)) this.#kernel.nudge(loop, 0)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#relays.values()].map((relay) => relay.close()))
    this.#relays.clear()
  }
}

export const relaysOf = perKernel((kernel) => new Relays(kernel))
