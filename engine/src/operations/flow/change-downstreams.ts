// Downstreams: how fast and how many at once each may be given work, and how that stands.
import type { Reader } from "../../db/transaction.ts"
import { shareNow } from "../../model/flow/pace.ts"
import {
  type DownstreamRow,
  deleteDownstream as deleteRow,
  listDownstreams as listRows,
  setDownstream as setRow,
} from "../../store/flow/downstreams.ts"
import type { DownstreamLimits } from "../../store/flow/live-settings.ts"
import { notFound } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { changeLive, type Operator } from "./change-live.ts"

export interface DownstreamView {
  readonly name: string
  readonly perSecond?: number
  readonly concurrency?: number
  readonly adaptive: boolean
  /** What is left of its limits after it pushed back; 1 is all. */
  readonly share: number
  readonly effectivePerSecond?: number
  readonly slowedAt?: string
  /** The downstream asked for no more requests until then. */
  readonly closedUntil?: string
  readonly inFlight: number
  readonly waiting: number
  readonly waitingIsExact: boolean
  readonly changedAt?: string
  readonly changedBy?: string
}

const COUNTED_TO = 1_000

/** The downstreams that have limits, and those that jobs have named. */
export const listDownstreams = async (kernel: Kernel): Promise<readonly DownstreamView[]> =>
  (await listRows(kernel.db, null, COUNTED_TO + 1)).map(viewOf)

export async function findDownstream(kernel: Kernel, name: string): Promise<DownstreamView | undefined> {
  const [row] = await listRows(kernel.db, name, COUNTED_TO + 1)
  return row && viewOf(row)
}

export const getDownstream = (kernel: Kernel, name: string): Promise<DownstreamView> => seeDownstream(kernel.db, name)

async function seeDownstream(reader: Reader, name: string): Promise<DownstreamView> {
  const [row] = await listRows(reader, name, COUNTED_TO + 1)
  if (!row) throw notFound(`no job has named a downstream ${name.slice(0, 64)}, and it has no limits`)
  return viewOf(row)
}

/** Its limits are these and no others: what is left out is not limited. */
export const setDownstream = (
  kernel: Kernel,
  operator: Operator,
  { name, ...limits }: DownstreamLimits,
): Promise<Done<DownstreamView>> =>
  changeLive(kernel, operator, {
    work: async (tx, at) => {
      const hasChanged = await setRow(tx, { name, ...limits })
      const view = await seeDownstream(tx, name)
      if (!hasChanged) return { view, change: undefined }
      // Who has changed it is written at the end of the transaction.
      const changed = { changedAt: isoTime(at), changedBy: operator.actor }
      return { view: { ...view, ...changed }, change: { kind: "downstream", name, detail: limits } }
    },
    readOld: (_, tx) => seeDownstream(tx, name),
  })

export const deleteDownstream = (kernel: Kernel, operator: Operator, name: string): Promise<Done<undefined>> =>
  changeLive(kernel, operator, async (tx) => {
    const was = await deleteRow(tx, name)
    return { view: undefined, change: was ? { kind: "downstream", name, detail: { deleted: true } } : undefined }
  })

function viewOf(row: DownstreamRow): DownstreamView {
  const { name, per_second: perSecond, concurrency, adaptive, closed_until, waiting } = row
  const share = row.slowed_at === null ? 1 : shareNow({ share: row.share, slowedMsAgo: row.now - row.slowed_at })
  return {
    name,
    ...(perSecond === null ? {} : { perSecond, effectivePerSecond: round(perSecond * share) }),
    ...(concurrency === null ? {} : { concurrency }),
    adaptive,
    share: round(share),
    ...(share === 1 || row.slowed_at === null ? {} : { slowedAt: isoTime(row.slowed_at) }),
    ...(closed_until === null ? {} : { closedUntil: isoTime(closed_until) }),
    inFlight: row.in_flight,
    waiting: Math.min(waiting, COUNTED_TO),
    waitingIsExact: waiting <= COUNTED_TO,
    ...(row.changed_at === null ? {} : { changedAt: isoTime(row.changed_at) }),
    ...(row.changed_by === null ? {} : { changedBy: row.changed_by }),
  }
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000
