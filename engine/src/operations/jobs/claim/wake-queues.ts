// Wakes the claims that wait for jobs of these queues. Called after the commit that has made jobs ready.
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { wakeupsOf } from "./wakeups.ts"

export const wakeQueues = (kernel: Kernel, queueIds: readonly number[]): void =>
  wakeupsOf(kernel).wake(queuesOf(kernel).known(queueIds))
