// Notes that a worker asks for jobs of some types: the first time in this process at once, and later with the pulse.
import { notePolled } from "../../../store/flow/queues.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"

/** Nobody waits for it: a worker that dies within its first second has been there, and where the write fails the pulse makes it. */
export function notePoll(kernel: Kernel, jobTypes: readonly string[]): void {
  const fresh = queuesOf(kernel).notePoll(jobTypes)
  if (fresh.length > 0) notePolled(kernel.db.aside, fresh).catch(() => undefined)
}
