// Wake-ups across processes: at most one NOTIFY per 10 ms, outside any write, and only while another process is alive.
// It only shortens a wait. NOTIFY inside the write transaction cost 93 % of the throughput with 32 clients.

import { relaysOf } from "../operations/events/relays.ts"
import { type Channel, EVENTS, openChannel, publish } from "../operations/jobs/claim/wake-channel.ts"
import { wakeupsOf } from "../operations/jobs/claim/wakeups.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"

const COALESCE_MS = 10
const RECONNECT_MS = 2_000

export class NotifierService {
  readonly #kernel: Kernel
  readonly #hasOthers: () => boolean
  readonly #pending = new Set<string>()
  #sending: NodeJS.Timeout | undefined
  #sentAt = 0
  #reconnecting: NodeJS.Timeout | undefined
  #channel: Channel | undefined
  #stopped = false

  constructor(kernel: Kernel, hasOthers: () => boolean) {
    this.#kernel = kernel
    this.#hasOthers = hasOthers
    wakeupsOf(kernel).onLocalWake((jobTypes) => this.#queue(jobTypes))
    relaysOf(kernel).onPublished(() => this.#queue([EVENTS]))
  }

  async start(): Promise<void> {
    try {
      this.#channel = await openChannel(this.#kernel, () => this.#retry())
      // Stopped while it connected: the connection is given back here.
      if (this.#stopped) this.#channel.close()
    } catch {
      this.#retry()
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#sending)
    clearTimeout(this.#reconnecting)
    this.#channel?.close()
  }

  #retry(): void {
    if (this.#stopped) return
    clearTimeout(this.#reconnecting)
    this.#reconnecting = setTimeout(() => void this.start(), RECONNECT_MS)
  }

  /** The first is sent at once, and what comes within the next moments together. */
  #queue(names: Iterable<string>): void {
    if (this.#stopped || !this.#hasOthers()) return
    for (const name of names) this.#pending.add(name)
    const waitMs = Math.max(0, this.#sentAt + COALESCE_MS - performance.now())
    this.#sending ??= setTimeout(() => void this.#send(), waitMs)
  }

  async #send(): Promise<void> {
    this.#sending = undefined
    this.#sentAt = performance.now()
    const names = [...this.#pending]
    this.#pending.clear()
    await publish(this.#kernel, names).catch(() => {})
  }
}
