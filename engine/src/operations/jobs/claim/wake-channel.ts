// The channel on which processes tell each other of new work.

import { listen, notify } from "../../../store/kernel/channel.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { wakeupsOf } from "./wakeups.ts"

export interface Channel {
  close(): void
}

/** Every message wakes the claims of this process that wait for those job types. */
export const openChannel = (kernel: Kernel, onLost: () => void): Promise<Channel> =>
  listen(kernel.db, (payload) => wakeupsOf(kernel).wakeFromElsewhere(payload.split("\n")), onLost)

const MAX_PAYLOAD = 7_900

export async function publish(kernel: Kernel, jobTypes: readonly string[]): Promise<void> {
  // What does not fit is found by the others' next pulse.
  let payload = ""
  for (const jobType of jobTypes)
    if (payload.length + jobType.length < MAX_PAYLOAD) payload += payload ? `\n${jobType}` : jobType
  if (payload) await notify(kernel.db, payload)
}
