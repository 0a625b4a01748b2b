// Housekeeping: partitions for the weeks to come, weeks past their retention dropped whole, old request keys forgotten.

import { hasSqlState, isContention } from "../../db/errors.ts"
import { pruneDeadJobs } from "../../store/dead-letters/dead-letters.ts"
import { pruneChanges } from "../../store/flow/live-settings.ts"
import { pruneBulk } from "../../store/instances/bulk-operations.ts"
import { pruneIdempotencyKeys } from "../../store/instances/keys.ts"
import { pruneRequests } from "../../store/instances/requests.ts"
import { pruneKeys } from "../../store/jobs/job-keys.ts"
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
import type { Context } from "../kernel/context.ts"
import { forgetSessions } from "../people/sessions.ts"

const WEEKS_AHEAD = 2
const KEY_LIFE_MS = 24 * 3_600_000
const KEYS_AT_ONCE = 10_000
const DEAD_LETTERS_AT_ONCE = 10_000
const RUNS_AT_ONCE = 10_000
const WEEK_MS = 7 * 24 * 3_600_000

export async function keepHouse(ctx: Context): Promise<void> {
  await createWeeks(ctx)
  while ((await pruneIdempotencyKeys(ctx.db, KEY_LIFE_MS, KEYS_AT_ONCE)) === KEYS_AT_ONCE);
  await forgetProcesses(ctx.db)
  await pruneBulk(ctx.db, ctx.settings.retainMs)
  await pruneRequests(ctx.db, ctx.settings.retainMs)
  while ((await pruneRuns(ctx.db, ctx.settings.retainMs, RUNS_AT_ONCE)) === RUNS_AT_ONCE);
  await pruneDeadLetters(ctx)
  await pruneKeys(ctx.db)
  await pruneChanges(ctx.db, ctx.settings.retainMs)
  await pruneSeries(ctx.db)
  await pruneSightings(ctx.db)
  await forgetSessions(ctx.db)
  for (const week of await listWeeks(ctx.db)) if (await isOver(ctx, week)) await retire(ctx, week)
}

/** Those of standalone jobs, by when they died. A step's goes with its instance. */
async function pruneDeadLetters(ctx: Context): Promise<void> {
  const beforeId = ulidAt(ctx.clock.nowMs() - ctx.settings.retainMs)
  let afterId: string | undefined = ""
  while (afterId !== undefined) afterId = await pruneDeadJobs(ctx.db, { afterId, beforeId }, DEAD_LETTERS_AT_ONCE)
}

export async function createWeeks(ctx: Context): Promise<void> {
  for (let n = 0; n <= WEEKS_AHEAD; n++) await makeWeek(ctx, weekOf(ctx.clock.nowMs() + n * WEEK_MS))
}

/** A week that cannot be made is no reason to stand still: its rows are kept in the default partition, longer than asked for. */
async function makeWeek(ctx: Context, week: Week): Promise<void> {
  try {
    await createWeek(ctx.db, week)
  } catch (error) {
    if (!hasSqlState(error, WEEK_HAS_BEGUN) && !isContention(error)) throw error
    ctx.log.warn({ err: error, week: week.name }, "the partitions of a week could not be made")
  }
}

/** `retain` is a minimum: a week goes when all its instances are terminal and past it (C-128). */
async function isOver(ctx: Context, week: Week): Promise<boolean> {
  const now = ctx.clock.nowMs()
  if (week.toMs > now) return false
  const { live, finished, lastJobEndedAt = 0 } = await remainsOf(ctx.db, week)
  if (live || lastJobEndedAt + ctx.settings.retainMs > now) return false
  for (const { definitionId, definitionVersion, lastCompletedAt } of finished) {
    const definition = await ctx.definitions.version(definitionId, definitionVersion)
    const retainMs = definition?.retainMs ?? ctx.settings.retainMs
    if (lastCompletedAt + retainMs > now) return false
  }
  return true
}

async function retire(ctx: Context, week: Week): Promise<void> {
  await dropWeek(ctx.db, week)
  ctx.log.info({ week: week.name }, "a week past its retention was dropped")
}
