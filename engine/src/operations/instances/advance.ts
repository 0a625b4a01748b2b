// The hot path: lock the instances of a batch, let each event change its instance's draft, write all plans in one transaction.
import { ALONE, type Outcome, type Patience, promiseOf, type Settle, type Verdict } from "../../db/batcher.ts"
import { hasSqlState, isContention } from "../../db/errors.ts"
import type { Transaction } from "../../db/transaction.ts"
import { LOST_TERM } from "../../store/upkeep/pulse.ts"
import { assert } from "../../support/assert.ts"
import { EngineError } from "../../support/errors.ts"
import { batched } from "../kernel/batch.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { concernsAll } from "../kernel/passing-failures.ts"
import { planUndos } from "../runs/undo-runs.ts"
import { type AdvanceItem, NOT_LIVE, type NotLive } from "./advance-item.ts"
import { announcement, ensureQueuesOf, writeEffects, writeInstances } from "./apply-plans.ts"
import { type Locked, lockBatch, lockWaiting } from "./lock-instances.ts"
import { planInstances } from "./plan-instances.ts"

export { type AdvanceItem, NOT_LIVE } from "./advance-item.ts"

export const advance = <T>(kernel: Kernel, item: AdvanceItem<T>): Promise<T | NotLive> =>
  promiseOf((told) => submitAdvances(kernel, [item], told))

/** Each event for itself, but one function hears of all of them. */
export function submitAdvances<T>(kernel: Kernel, items: readonly AdvanceItem<T>[], told: Settle<T | NotLive>): void {
  advances(kernel).submitEach(items, (at, outcome) => {
    const isHeld = "error" in outcome && isContention(outcome.error)
    told(
      at,
      isHeld
        ? { error: heldTooLong((items[at] as AdvanceItem<T>).instanceId, outcome.error) }
        : (outcome as Outcome<T | NotLive>),
    )
  })
}

/** Locked in id order without waiting; an instance that is held elsewhere leaves the batch. */
async function advanceBatch(
  kernel: Kernel,
  items: readonly AdvanceItem<unknown>[],
  patience: Patience,
): Promise<readonly Verdict<unknown>[]> {
  kernel.metrics.batchSize.observe({ operation: "advance" }, items.length)
  const done = kernel.metrics.transactionDuration.startTimer({ tx_type: "advance" })
  try {
    return await kernel.db.transaction(async (tx) => {
      await proveTerms(tx, items)
      const locked = patience.isAlone ? await lockMeasured(kernel, tx, items) : await lockBatch(tx, items)
      return advanceLocked({ kernel, tx, locked }, items)
    }, patience)
  } finally {
    done()
  }
}

/** A leader proves its term once for all of its items. */
const proveTerms = (tx: Transaction, items: readonly AdvanceItem<unknown>[]): Promise<unknown> =>
  Promise.all([...new Set(items.map(({ proveTerm }) => proveTerm))].map((proveTerm) => proveTerm?.(tx)))

/** For the loops: each item has an outcome of its own. Throws when the whole round is lost: the database is away, or the lead is. */
export async function advanceEach(
  kernel: Kernel,
  items: readonly AdvanceItem<unknown>[],
  proveTerm: ProveTerm,
): Promise<readonly Outcome<unknown>[]> {
  const batcher = ledAdvances(kernel)
  const settled = await Promise.allSettled(items.map((item) => batcher.submit({ ...item, proveTerm })))
  return settled.map((one) => {
    if (one.status === "fulfilled") return { value: one.value }
    if (concernsAll(one.reason)) throw one.reason
    return { error: one.reason }
  })
}

/** Within a transaction of the caller's, waiting for the instance. */
export async function advanceWithin<T>(kernel: Kernel, tx: Transaction, item: AdvanceItem<T>): Promise<T | NotLive> {
  const locked = await lockMeasured(kernel, tx, [item])
  const [verdict] = await advanceLocked({ kernel, tx, locked }, [item])
  assert(verdict !== undefined && verdict !== ALONE, "an event alone has an outcome")
  if ("error" in verdict) throw verdict.error
  return verdict.value as T | NotLive
}

async function lockMeasured(kernel: Kernel, tx: Transaction, items: readonly AdvanceItem<unknown>[]): Promise<Locked> {
  const waited = kernel.metrics.lockWait.startTimer({ operation: "advance" })
  const locked = await lockWaiting(tx, items)
  waited()
  return locked
}

interface Advance {
  readonly kernel: Kernel
  readonly tx: Transaction
  readonly locked: Locked
}

async function advanceLocked(
  { kernel, tx, locked }: Advance,
  items: readonly AdvanceItem<unknown>[],
): Promise<readonly Verdict<unknown>[]> {
  const outcomes = new Map<AdvanceItem<unknown>, Outcome<unknown>>()
  const planned = await planUndos(kernel, tx, await planInstances({ kernel, tx }, items, { locked, outcomes }))
  await ensureQueuesOf(kernel, planned)
  writeInstances(tx, planned)
  writeEffects(kernel, tx, planned)
  tx.afterCommit(announcement(kernel, planned))
  return items.map((item) => (locked.apart.has(item.instanceId) ? ALONE : (outcomes.get(item) ?? { value: NOT_LIVE })))
}

const heldTooLong = (id: string, cause: unknown) =>
  new EngineError("unavailable", `instance ${id} is held by another transaction; try again`, {
    retryAfterSeconds: 1,
    cause,
  })

const byInstance = {
  run: advanceBatch,
  flights: 2,
  keyOf: ({ instanceId }: AdvanceItem<unknown>) => instanceId,
  sizeOf: ({ size }: AdvanceItem<unknown>) => size ?? 0,
}

const advances = batched<AdvanceItem<unknown>, unknown>(byInstance)
const FEW = 16

/**
 * A batcher of its own for the loops. If this process no longer leads the loop, the whole batch fails; and a loop comes back by itself
 * to an instance that another transaction holds. It waits for that transaction if it is short; where many instances are held it hardly waits, so that other timers are on time.
 */
const ledAdvances = batched<AdvanceItem<unknown>, unknown>({
  ...byInstance,
  splits: (error) => !hasSqlState(error, LOST_TERM),
  loneFlights: 4,
  loneWaitMs: (behind) => (behind < FEW ? 50 : 5),
})
