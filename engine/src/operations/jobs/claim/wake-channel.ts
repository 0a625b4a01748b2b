// The channel on which processes tell each other of new work.

import { listen, notify } from "../../../store/kernel/channel.ts"
import { relaysOf } from "../../events/relays.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { wakeupsOf } from "./wakeups.ts"

export interface Channel {
  close(): void
}

/** Stands for events among job types; none can be called so. */
export const EVENTS = "*events"

/** Every message wakes the claims of this process that wait for those job types. If it is about events, it wakes the relays too. */
export const openChannel = (kernel: Kernel, onLost: () => void): Promise<Channel> =>
  listen(kernel.db, (payload) => hear(kernel, new Set(payload.split("\n"))), onLost)

function hear(kernel: Kernel, told: Set<string>): void {
  if (told.delete(EVENTS)) relaysOf(kernel).lookSoon()
  if (told.size > 0) wakeupsOf(kernel).wakeFromElsewhere(told)
}

const MAX_PAYLOAD = 7_900

/** Job types, or `EVENTS`. */
export async function publish(kernel: Kernel, names: readonly string[]): Promise<void> {
  // What does not fit is found by the others' next pulse.
  let payload = ""
  for (const name of names) if (payload.length + name.length < MAX_PAYLOAD) payload += payload ? `\n${name}` : name
  if (payload) await notify(kernel.db, payload)
}
