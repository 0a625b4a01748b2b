// Fires the ticks that are due, and starts the runs that wait for an earlier one. Only a leader does, one schedule a transaction.
import { isPassing } from "../../db/errors.ts"
import type { Transaction } from "../../db/transaction.ts"
import { dueTicks } from "../../model/schedules/schedule-ticks.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import {
  findLine,
  type LineRow,
  listDueSchedules,
  listReadyLines,
  lockSchedule,
  moveSchedule,
  postponeSchedule,
  type ScheduleRow,
} from "../../store/schedules/schedules.ts"
import { EngineError } from "../../support/errors.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { concernsAll, mayPass } from "../kernel/passing-failures.ts"
import { type Firing, fireTicks, fireWaiting } from "./fire-ticks.ts"
import { timesOf } from "./schedule-times.ts"

const BATCH = 100
/** A schedule or an instance that another transaction holds is tried again with the next pulse. */
const LOCK_WAIT_MS = 500

interface Round {
  readonly kernel: Kernel
  readonly proveTerm: ProveTerm
  /** False where there is nothing to fire. */
  readonly fire: (firing: Firing) => Promise<boolean>
}

/** Returns how many had something to fire. One that cannot be fired now stays due, and does not hold up the others. */
export async function fireSchedules(kernel: Kernel, proveTerm: ProveTerm): Promise<number> {
  // Waiting runs start first, so that a tick that is due now does not queue behind them.
  const begun = await fireEach({ kernel, proveTerm, fire: fireWaiting }, await listReadyLines(kernel.db, BATCH))
  const fired = await fireEach({ kernel, proveTerm, fire: fireDue }, await listDueSchedules(kernel.db, BATCH))
  return begun + fired
}

async function fireEach(round: Round, ids: readonly string[]): Promise<number> {
  let count = 0
  for (const id of ids) if (await fireOne(round, id)) count += 1
  return count
}

async function fireOne(round: Round, id: string): Promise<boolean> {
  try {
    return await fireWithin(round, id)
  } catch (error) {
    if (staysDue(round, id, error)) return false
    return isPassing(error) ? putOff(round, id, error) : recordFailure(round, id, error)
  }
}

/** The failed statement has undone the whole firing. This one starts nothing: the tick is recorded as failed with that error. */
async function recordFailure(round: Round, id: string, cause: unknown): Promise<boolean> {
  const failure = new EngineError("internal-error", (cause as Error).message, { cause })
  try {
    return await fireWithin(round, id, failure)
  } catch (error) {
    return staysDue(round, id, error) ? false : putOff(round, id, error)
  }
}

/** Whether the next pulse finds it still due and just tries again. Throws what is not of this schedule alone. */
function staysDue({ kernel }: Round, id: string, error: unknown): boolean {
  if (concernsAll(error)) throw error
  kernel.log.error({ err: error, scheduleId: id }, "a schedule could not be fired")
  return mayPass(error)
}

/** Its tick stays, and is tried later. */
async function putOff({ kernel, proveTerm }: Round, id: string, error: unknown): Promise<false> {
  await kernel.db.transaction(async (tx) => {
    await proveTerm(tx)
    postponeSchedule(tx, { id, error: (error as Error).message })
  })
  return false
}

function fireWithin({ kernel, proveTerm, fire }: Round, id: string, failure?: EngineError): Promise<boolean> {
  const work = async (tx: Transaction) => {
    await proveTerm(tx)
    const locked = await lockWithLine(tx, id)
    return locked !== undefined && fire({ kernel, tx, ...locked, actor: `schedule:${id}`, failure })
  }
  return kernel.db.transaction(work, { lockWaitMs: LOCK_WAIT_MS })
}

/** The line: the ticks of a schedule that wait because an earlier one's work is not over, and what they wait for. */
export async function lockWithLine(
  tx: Transaction,
  id: string,
): Promise<{ readonly schedule: ScheduleRow; readonly line: LineRow } | undefined> {
  await setLockTimeout(tx)
  const schedule = await lockSchedule(tx, id)
  return schedule && { schedule, line: await findLine(tx, schedule) }
}

async function fireDue(firing: Firing): Promise<boolean> {
  const { kernel, tx, schedule, line } = firing
  const { next_at: firstAt, overlap, catch_up: catchUp } = schedule
  if (firstAt === null || firstAt > line.now) return false
  const times = timesOf(schedule)
  const due = times ? dueTicks(times, firstAt, line.now, { overlap, catchUp }) : { missed: [], onTime: [] }
  await fireTicks(firing, "cron", due)
  if (!times) kernel.log.error({ scheduleId: schedule.id }, "the times of a schedule cannot be read: it fires no more")
  moveSchedule(tx, schedule.id, times?.next(line.now) ?? null)
  return true
}
