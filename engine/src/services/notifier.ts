// Wake-ups across processes: at most one NOTIFY per 10 ms, outside any write, and only while another process is alive.
// It only shortens a wait. NOTIFY inside the write transaction cost 93 % of the throughput with 32 clients.

import { type Channel, openChannel, publish } from "../operations/jobs/claim/wake-channel.ts"
import { wakeupsOf } from "../operations/jobs/claim/wakeups.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"

const COALESCE_MS = 10
const RECONNECT_MS = 2_000

export class NotifierService {
  readonly #kernel: Kernel
  readonly #hasOthers: () => boolean
  readonly #pending = new Set<string>()
  #sending: NodeJS.Timeout | undefined
  #reconnecting: NodeJS.Timeout | undefined
  #channel: Channel | undefined
  #stopped = false

  constructor(kernel: Kernel, hasOthers: () => boolean) {
    this.#kernel = kernel
    this.#hasOthers = hasOthers
    wakeupsOf(kernel).onLocalWake((jobTypes) => this.#queue(jobTypes))
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

  #queue(jobTypes: Iterable<string>): void {
    if (this.#stopped || !this.#hasOthers()) return
    for (const jobType of jobTypes) this.#pending.add(jobType)
    this.#sending ??= setTimeout(() => void this.#send(), COALESCE_MS)
  }

  async #send(): Promise<void> {
    this.#sending = undefined
    const jobTypes = [...this.#pending]
    this.#pending.clear()
    await publish(this.#kernel, jobTypes).catch(() => {})
  }
}
