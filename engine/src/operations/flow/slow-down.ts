// A downstream that pushes back is given less: its share is halved, and it is left alone for as long as it asked.
import { LEAST_SHARE, RECOVERY_PER_SECOND, SLOWER_BY } from "../../model/flow/pace.ts"
import { type PushBack, slowDown as slowDownRows } from "../../store/jobs/claims.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** What a failed attempt reports about the downstream that it called. */
export interface Pushback {
  /** The status it answered with: 429 and 503 say that it has too much to do. */
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly timeout?: boolean | undefined
}

export const isPushback = ({ status, retryAfterMs, timeout }: Pushback): boolean =>
  status === 429 || status === 503 || retryAfterMs !== undefined || timeout === true

/** While the jobs are still live: they know their downstream. If this fails, the engine only reacts later. */
export async function slowDown(kernel: Kernel, pushes: readonly PushBack[]): Promise<void> {
  const how = { leastShare: LEAST_SHARE, recoveryPerSecond: RECOVERY_PER_SECOND, factor: SLOWER_BY }
  await slowDownRows(kernel.db, pushes, how).catch((error) =>
    kernel.log.warn({ err: error }, "a downstream could not be slowed"),
  )
}
