// The policy of a standalone job: its own retries, and the budget of its type, by which a storm of retries comes back slowly.
import type { AttemptPolicy } from "../../../model/jobs/after-attempt.ts"
import { RetryBudget } from "../../../model/jobs/retry-budget.ts"
import type { CompiledRetryPolicy } from "../../../model/jobs/retry-delay.ts"
import { RETRY_PRESETS } from "../../../model/jobs/standalone-job.ts"
import type { LockedJobRow } from "../../../store/jobs/jobs.ts"
import type { CompletedRow } from "../../../store/jobs/standalone-jobs.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { perKernel } from "../../kernel/kernel.ts"

const retryBudgetOf = perKernel(() => new RetryBudget())

export const policyOf = (kernel: Kernel, { retry, queue_id }: LockedJobRow): AttemptPolicy => ({
  retry: retry === null ? RETRY_PRESETS.jittered : (JSON.parse(retry) as CompiledRetryPolicy),
  maxLostLeases: kernel.settings.maxLostLeases,
  random: kernel.random,
  spread: (delayMs) => retryBudgetOf(kernel).delayMs(jobTypeOf(kernel, queue_id), delayMs, kernel.clock.nowMs()),
})

/** The more jobs of a type succeed, the more of its retries may come back. */
export function noteSuccesses(kernel: Kernel, rows: readonly CompletedRow[]): void {
  const counts = new Map<number, number>()
  for (const { queue_id } of rows) counts.set(queue_id, (counts.get(queue_id) ?? 0) + 1)
  for (const [id, count] of counts) retryBudgetOf(kernel).succeeded(jobTypeOf(kernel, id), count, kernel.clock.nowMs())
}

const jobTypeOf = (kernel: Kernel, queueId: number): string => queuesOf(kernel).of(queueId)?.jobType ?? ""
