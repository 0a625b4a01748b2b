// Bulk operations, on instances or dead letters: what matches now is counted at once and worked off in the background, each in a transaction of its own.

import type { Transaction } from "../../db/transaction.ts"
import { planCancel } from "../../model/instances/plan-human.ts"
import { EVERYTHING } from "../../model/people/reach.ts"
import { type DeadLetterFilter, listDeadMatching } from "../../store/dead-letters/dead-letters.ts"
import {
  type BulkAction,
  type BulkRow,
  countBulk,
  countMatching,
  findBulk,
  findRunningBulk,
  finishBulk,
  type InstanceAction,
  insertBulk,
  listMatching,
  type MatchingRow,
} from "../../store/instances/bulk-operations.ts"
import type { InstanceFilter } from "../../store/instances/finished-instances.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { conflict, EngineError, notFound } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import { discardWithin } from "../dead-letters/discard-dead-letter.ts"
import { replayWithin } from "../dead-letters/replay-dead-letter.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { LeftBehind } from "../kernel/left-behind.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { concernsAll, mayPass } from "../kernel/passing-failures.ts"
import { advanceWithin, NOT_LIVE } from "./advance.ts"
import { filterOf, type ListRequest } from "./read-instances.ts"
import { retryWithin } from "./retry-instance.ts"

interface BulkStart {
  readonly action: BulkAction
  readonly dryRun: boolean
  readonly reason?: string | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

export interface BulkRequest extends BulkStart {
  readonly action: InstanceAction
  readonly filter: Omit<ListRequest, "page" | "pageSize" | "cursor">
}

export interface BulkView {
  readonly id: string
  readonly action: BulkAction
  readonly dryRun: boolean
  readonly matched: number
  readonly done: number
  readonly failed: number
  readonly finished: boolean
  readonly createdAt: string
  readonly finishedAt?: string
}

const PAGE = 100

export async function createBulk(kernel: Kernel, request: BulkRequest): Promise<Done<BulkView>> {
  const filter = filterOf(request.filter)
  const matched = await countMatching(kernel.db, request.action, filter)
  return startBulk(kernel, request, { filter, matched })
}

interface Matching<Shown> {
  /** Stored as it is, and read again for each page. */
  readonly filter: { readonly afterId: string; readonly beforeId: string }
  readonly matched: number
  /** What the answer shows besides. */
  readonly shown?: Shown
}

export async function startBulk<Shown extends object>(
  kernel: Kernel,
  request: BulkStart,
  { filter, matched, shown }: Matching<Shown>,
): Promise<Done<BulkView & Partial<Shown>>> {
  const id = kernel.newId()
  const { action, actor, dryRun, reason = null, requestKey } = request
  const insert = async (tx: Transaction) => {
    // What begins, or dies, later than this operation is none of its business.
    const untilId = filter.beforeId < id ? filter.beforeId : id
    insertBulk(tx, { id, action, filter: JSON.stringify(filter), reason, actor, dryRun, matched, untilId })
    const createdAt = isoTime(kernel.clock.nowMs())
    const begun = { id, action, dryRun, matched, done: 0, failed: 0, finished: dryRun, createdAt }
    return { ...begun, ...shown } as BulkView & Partial<Shown>
  }
  const done = await kernel.db.transaction((tx) => once(tx, requestKey, () => insert(tx)))
  if (!done.isRepeat && !dryRun) kernel.nudge("bulk", 0)
  return done
}

export async function getBulk(kernel: Kernel, id: string): Promise<BulkView> {
  const row = await findBulk(kernel.db, id)
  if (!row) throw notFound(`there is no bulk operation ${id.slice(0, 64)}`)
  return {
    id: row.id,
    action: row.action,
    dryRun: row.dry_run,
    matched: row.matched,
    done: row.done,
    failed: row.failed,
    finished: row.finished_at !== null,
    createdAt: isoTime(row.created_at),
    ...(row.finished_at === null ? {} : { finishedAt: isoTime(row.finished_at) }),
  }
}

/** One page of the oldest running operation. Returns how many instances or dead letters it looked at. */
export async function runBulk(kernel: Kernel, proveTerm: ProveTerm): Promise<number> {
  const bulk = await findRunningBulk(kernel.db)
  if (!bulk) return 0
  const rows = await listPage(kernel, bulk)
  await runPage(kernel, proveTerm, bulk, rows)
  if (rows.length < PAGE) {
    await kernel.db.transaction(async (tx) => {
      await proveTerm(tx)
      finishBulk(tx, bulk.id)
    })
  }
  return rows.length
}

function listPage(kernel: Kernel, bulk: BulkRow): Promise<readonly MatchingRow[]> {
  const { action } = bulk
  const stored = JSON.parse(bulk.filter) as InstanceFilter | DeadLetterFilter
  const afterId = bulk.after_id > stored.afterId ? bulk.after_id : stored.afterId
  const filter = { ...stored, afterId, beforeId: bulk.until_id }
  if (action === "cancel" || action === "retry") return listMatching(kernel.db, action, filter as InstanceFilter, PAGE)
  return listDeadMatching(kernel.db, filter as DeadLetterFilter, PAGE)
}

async function runPage(
  kernel: Kernel,
  proveTerm: ProveTerm,
  bulk: BulkRow,
  rows: readonly MatchingRow[],
): Promise<void> {
  const left = new LeftBehind()
  try {
    for (const row of rows) {
      const refused = await runOne(kernel, proveTerm, bulk, row)
      if (refused) left.note(row.id, refused)
    }
  } finally {
    left.tell(kernel, bulk)
  }
}

/** The change and the count are one transaction: after a crash nothing is counted twice. Returns why it was left as it was. */
async function runOne(
  kernel: Kernel,
  proveTerm: ProveTerm,
  bulk: BulkRow,
  row: MatchingRow,
): Promise<EngineError | undefined> {
  try {
    await kernel.db.transaction(async (tx) => {
      await proveTerm(tx)
      await act[bulk.action](kernel, tx, bulk, row)
      countBulk(tx, bulk.id, { done: 1, failed: 0 }, row.id)
    })
    return undefined
  } catch (error) {
    // Not its own fault: the page is taken up again at the next pulse, where it was left.
    if (concernsAll(error) || mayPass(error)) throw error
    const refused = error instanceof EngineError ? error : undefined
    if (!refused) kernel.log.error({ err: error, id: row.id }, "bulk: one of them failed")
    await kernel.db.transaction(async (tx) => {
      await proveTerm(tx)
      countBulk(tx, bulk.id, { done: 0, failed: 1 }, row.id)
    })
    return refused
  }
}

type Act = (kernel: Kernel, tx: Transaction, bulk: BulkRow, row: MatchingRow) => Promise<unknown>

/** How far the author of the operation reaches is in its filter. */
const act: Readonly<Record<BulkAction, Act>> = {
  cancel: (kernel, tx, bulk, row) => cancelWithin(kernel, tx, bulk, row.id),
  retry: (kernel, tx, { actor }, row) => retryWithin(kernel, tx, { instanceId: row.id, actor }),
  replay: (kernel, tx, { actor }, row) => replayWithin(kernel, tx, { id: row.id, actor, reach: EVERYTHING }),
  discard: (_, tx, { actor }, row) => discardWithin(tx, { id: row.id, actor, reach: EVERYTHING }),
}

async function cancelWithin(kernel: Kernel, tx: Transaction, bulk: BulkRow, instanceId: string): Promise<void> {
  const outcome = await advanceWithin(kernel, tx, {
    instanceId,
    decide: (draft) => planCancel(draft, bulk.reason ?? undefined, bulk.actor),
  })
  if (outcome === NOT_LIVE) throw conflict(`instance ${instanceId} has ended meanwhile`)
}
