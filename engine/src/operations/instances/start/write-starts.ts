// The last stage of a start: the rows of all starts of a batch.
import type { Transaction } from "../../../db/transaction.ts"
import { expectLatest } from "../../../store/definitions/definitions.ts"
import { insertFinishedInstances } from "../../../store/instances/finished-instances.ts"
import { insertInstances, type NewInstanceRow } from "../../../store/instances/instances.ts"
import { insertRestarts } from "../../../store/instances/restarts.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { seriesOf } from "../../observability/counter-series.ts"
import { announcement, finishColumns, writeEffects } from "../apply-plans.ts"
import type { PlannedStart } from "./planned-start.ts"
import type { PreparedStart } from "./start-request.ts"

export function writeStarts(kernel: Kernel, tx: Transaction, starts: readonly PlannedStart[]): void {
  const planned = starts.map((start) => start.planned)
  // In a caller's transaction the version was checked before, by prepareWithin: its transaction must not fail here.
  if (tx.isOurs) expectPlannedVersions(tx, starts)
  insertRows(tx, starts)
  noteRestarts(tx, starts)
  writeEffects(kernel, tx, planned)
  countStarts(
    kernel,
    tx,
    starts.map(({ prepared }) => prepared),
  )
  tx.afterCommit(announcement(kernel, planned))
}

/**
 * The oldest of each: the starts of one batch may have been planned with different versions. An intake of a step list is taken as it is: a
 * list runs as its workers have it now, whichever version it is noted under.
 */
function expectPlannedVersions(tx: Transaction, starts: readonly PlannedStart[]): void {
  const latest = new Map<string, number>()
  for (const { prepared } of starts) {
    const { id, version, isList } = prepared.definition
    const isListIntake = isList && prepared.intakeKey !== undefined
    if (prepared.request.definitionVersion === undefined && !isListIntake)
      latest.set(id, Math.min(version, latest.get(id) ?? version))
  }
  if (latest.size > 0) expectLatest(tx, latest)
}

/** An instance that ended within its first plan was never live. */
function insertRows(tx: Transaction, starts: readonly PlannedStart[]): void {
  const live: NewInstanceRow[] = []
  const finished: Parameters<typeof insertFinishedInstances>[1][number][] = []
  for (const { row, planned } of starts) {
    if (planned.plan.finish) finished.push({ ...row, ...finishColumns(planned.plan, planned.nowMs) })
    else live.push(row)
  }
  if (live.length > 0) insertInstances(tx, live)
  if (finished.length > 0) insertFinishedInstances(tx, finished)
}

function noteRestarts(tx: Transaction, starts: readonly PlannedStart[]): void {
  const restarts = starts.flatMap(({ prepared: { request }, planned }) =>
    request.restart ? [{ instanceId: planned.id, restartOf: request.restart.of }] : [],
  )
  if (restarts.length > 0) insertRestarts(tx, restarts)
}

/** After the commit; in a caller's transaction, whose commit is not seen here, as they are written. */
export function countStarts(kernel: Kernel, tx: Transaction, starts: readonly PreparedStart[]): void {
  if (tx.isOurs) tx.afterCommit(() => countTakenIn(kernel, starts))
  else countTakenIn(kernel, starts)
}

export function countTakenIn(kernel: Kernel, starts: readonly PreparedStart[]): void {
  kernel.metrics.instancesStarted.inc(starts.length)
  seriesOf(kernel).flow.accept(starts.map(({ request }) => request.door))
}
