// Queues that other processes have made: the claims that wait for their job types look again.
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { wakeupsOf } from "./wakeups.ts"

/** `mark`: of all queues, as the database has it now. Each process hears by itself, so the others are not told. */
export async function hearOfQueues(kernel: Kernel, mark: number | null): Promise<void> {
  const fresh = await queuesOf(kernel).follow(mark ?? 0)
  if (fresh.length > 0) wakeupsOf(kernel).wakeFromElsewhere(new Set(fresh))
}
