// Housekeeping: partitions for the weeks to come, weeks past their retention dropped whole, old request keys forgotten.

import { hasSqlState, isContention } from "../../db/errors.ts"
import { pruneDeadJobs } from "../../store/dead-letters/dead-letters.ts"
import { pruneProcessed } from "../../store/events/processed-events.ts"
import { pruneChanges } from "../../store/flow/live-settings.ts"
import { removeQueues, retireQueues } from "../../store/flow/queues.ts"
import { pruneBulk } from "../../store/instances/bulk-operations.ts"
import { pruneRequests } from "../../store/instances/requests.ts"
import { pruneKeys } from "../../store/jobs/job-keys.ts"
import { pruneRequestKeys } from "../../store/kernel/request-keys.ts"
import { pruneSeries } from "../../store/observability/counter-series.ts"
import { pruneSightings } from "../../store/observability/worker-sightings.ts"
import { pruneRuns } from "../../store/schedules/schedules.ts"
import {
  createWeek,
  dropWeek,
  listWeeks,
  remainsOf,
  WEEK_HAS_BEGUN,
  type Week,
  weekOf,
} from "../../store/upkeep/partitions.ts"
import { forgetProcesses } from "../../store/upkeep/pulse.ts"
import { ulidAt } from "../../support/ids.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { retireEvents } from "../events/retire-events.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { forgetSessions } from "../people/sessions.ts"

const WEEKS_AHEAD = 2
const KEY_LIFE_MS = 24 * 3_600_000
const KEYS_AT_ONCE = 10_000
const DEAD_LETTERS_AT_ONCE = 10_000
const RUNS_AT_ONCE = 10_000
const MARKS_AT_ONCE = 10_000
/** A queue that no worker has asked for in a day is retired, and a month later it is removed. */
const QUIET_QUEUE_MS = 24 * 3_600_000
const RETIRED_QUEUE_MS = 30 * 24 * 3_600_000
const WEEK_MS = 7 * 24 * 3_600_000

export async function keepHouse(kernel: Kernel): Promise<void> {
  await createWeeks(kernel)
  while ((await pruneRequestKeys(kernel.db, KEY_LIFE_MS, KEYS_AT_ONCE)) === KEYS_AT_ONCE);
  await forgetProcesses(kernel.db)
  await pruneBulk(kernel.db, kernel.settings.retainMs)
  await pruneRequests(kernel.db, kernel.settings.retainMs)
  while ((await pruneRuns(kernel.db, kernel.settings.retainMs, RUNS_AT_ONCE)) === RUNS_AT_ONCE);
  while ((await pruneProcessed(kernel.db, kernel.settings.processedRetainMs, MARKS_AT_ONCE)) === MARKS_AT_ONCE);
  await pruneDeadLetters(kernel)
  await pruneKeys(kernel.db)
  await pruneChanges(kernel.db, kernel.settings.retainMs)
  await pruneSeries(kernel.db)
  await pruneSightings(kernel.db)
  await forgetSessions(kernel.db)
  for (const week of await listWeeks(kernel.db)) if (await isOver(kernel, week)) await retire(kernel, week)
  await retireEvents(kernel)
  // After the weeks, whose records name queues.
  await removeIdleQueues(kernel)
}

async function removeIdleQueues(kernel: Kernel): Promise<void> {
  await retireQueues(kernel.db, QUIET_QUEUE_MS)
  const jobTypes = await removeQueues(kernel.db, RETIRED_QUEUE_MS)
  if (jobTypes.length > 0) kernel.log.info({ jobTypes }, "queues that nothing uses any more were removed")
}

/** Prunes dead letters of standalone jobs by the time they died. Those of a step are deleted with its instance. */
async function pruneDeadLetters(kernel: Kernel): Promise<void> {
  const beforeId = ulidAt(kernel.clock.nowMs() - kernel.settings.retainMs)
  let afterId: string | undefined = ""
  while (afterId !== undefined) afterId = await pruneDeadJobs(kernel.db, { afterId, beforeId }, DEAD_LETTERS_AT_ONCE)
}

export async function createWeeks(kernel: Kernel): Promise<void> {
  for (let n = 0; n <= WEEKS_AHEAD; n++) await makeWeek(kernel, weekOf(kernel.clock.nowMs() + n * WEEK_MS))
}

/** A week that cannot be made is no reason to stand still: its rows are kept in the default partition, longer than asked for. */
async function makeWeek(kernel: Kernel, week: Week): Promise<void> {
  try {
    await createWeek(kernel.db, week)
  } catch (error) {
    if (!hasSqlState(error, WEEK_HAS_BEGUN) && !isContention(error)) throw error
    kernel.log.warn({ err: error, week: week.name }, "the partitions of a week could not be made")
  }
}

/** `retain` is a minimum: a week goes when all its instances are terminal and past it. */
async function isOver(kernel: Kernel, week: Week): Promise<boolean> {
  const now = kernel.clock.nowMs()
  if (week.toMs > now) return false
  const { live, finished, lastJobEndedAt = 0 } = await remainsOf(kernel.db, week)
  if (live || lastJobEndedAt + kernel.settings.retainMs > now) return false
  for (const { definitionId, definitionVersion, lastCompletedAt } of finished) {
    const definition = await definitionsOf(kernel).version(definitionId, definitionVersion)
    const retainMs = definition?.retainMs ?? kernel.settings.retainMs
    if (lastCompletedAt + retainMs > now) return false
  }
  return true
}

async function retire(kernel: Kernel, week: Week): Promise<void> {
  await dropWeek(kernel.db, week)
  kernel.log.info({ week: week.name }, "a week past its retention was dropped")
}
