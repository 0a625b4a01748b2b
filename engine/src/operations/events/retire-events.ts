// Retires events that are past `retain` and that every sink has had; one that a sink lacks or that is parked stays as long as it takes.
import { isContention } from "../../db/errors.ts"
import { dropPublishedWeek, pruneMoves, prunePublished } from "../../store/upkeep/event-weeks.ts"
import { listEventWeeks } from "../../store/upkeep/partitions.ts"
import { ulidAt } from "../../support/ids.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** Others are not kept waiting: behind a transaction that stays open it gives up, and the next housekeeping tries again. */
export async function retireEvents(kernel: Kernel): Promise<void> {
  try {
    await dropWeeks(kernel)
    await prunePublished(kernel.db, ulidAt(kernel.clock.nowMs() - kernel.settings.retainMs))
  } catch (error) {
    if (!isContention(error)) throw error
    kernel.log.warn({ err: error }, "old events could not be dropped beside an open transaction")
  }
  await pruneMoves(kernel.db)
}

async function dropWeeks(kernel: Kernel): Promise<void> {
  for (const week of await listEventWeeks(kernel.db)) {
    const isOld = week.toMs + kernel.settings.retainMs <= kernel.clock.nowMs()
    if (isOld && (await dropPublishedWeek(kernel.db, week)))
      kernel.log.info({ week: week.name }, "a week of published events was dropped")
  }
}
