// Reads instances: one, a page of them, the audit trail.
import type { Reader } from "../../db/transaction.ts"
import type { InstanceStatus } from "../../model/instances/instance-machine.ts"
import { listAudit } from "../../store/instances/audit.ts"
import {
  countInstances,
  type InstanceFilter,
  listInstances as listRows,
} from "../../store/instances/finished-instances.ts"
import { findInstance, type OneInstanceRow } from "../../store/instances/instances.ts"
import { badRequest, notFound } from "../../support/errors.ts"
import { isUlid, ulidAt } from "../../support/ids.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { JsonObject } from "../../support/json.ts"
import { cutPage, earlier, parseUlid, readCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { withCurrentSteps } from "./current-steps.ts"
import { type InstanceView, viewOfOne, viewOfRow } from "./instance-view.ts"

export async function getInstanceRow(reader: Reader, id: string): Promise<OneInstanceRow> {
  const row = isUlid(id) ? await findInstance(reader, id) : undefined
  if (!row) throw notFound(`there is no instance ${id.slice(0, 64)}`)
  return row
}

export const getInstance = async (kernel: Kernel, id: string): Promise<InstanceView> =>
  viewOfOne(await getInstanceRow(kernel.db, id))

/** The view that lists of instances use. For a run of a list it has the step that the run has come to. */
export async function showRow(kernel: Kernel, row: OneInstanceRow): Promise<InstanceView> {
  const view = viewOfOne(row)
  const [shown = view] = await withCurrentSteps(kernel, [view])
  return shown
}

export const showInstance = async (kernel: Kernel, id: string): Promise<InstanceView> =>
  showRow(kernel, await getInstanceRow(kernel.db, id))

export interface ListRequest {
  readonly definitionId?: string | undefined
  readonly status?: InstanceStatus | undefined
  readonly businessKey?: string | undefined
  readonly version?: number | undefined
  readonly failure?: string | undefined
  readonly startedAfter?: number | undefined
  readonly startedBefore?: number | undefined
  readonly page: number
  readonly pageSize: number
  readonly cursor?: string | undefined
}

export interface InstancePage {
  readonly items: readonly InstanceView[]
  readonly total: number
  readonly totalIsExact: boolean
  readonly nextCursor?: string
}

const COUNTED_TO = 10_000

export async function listInstances(kernel: Kernel, request: ListRequest): Promise<InstancePage> {
  const [page, total] = await Promise.all([
    readPageOfInstances(kernel, request),
    countInstances(kernel.db, filterOf(request), COUNTED_TO + 1),
  ])
  return { ...page, total: Math.min(total, COUNTED_TO), totalIsExact: total <= COUNTED_TO }
}

/** Newest first, and not counted: for those who go through them page by page. */
export async function readPageOfInstances(
  kernel: Kernel,
  request: Omit<ListRequest, "page"> & Partial<Pick<ListRequest, "page">>,
): Promise<Pick<InstancePage, "items" | "nextCursor">> {
  const { page = 0, pageSize, cursor } = request
  const offset = cursor === undefined ? page * pageSize : 0
  if (offset > COUNTED_TO) throw badRequest(`page ${page} is beyond the first ${COUNTED_TO} instances; use the cursor`)
  const filter = filterOf(request)
  const beforeId = cursor === undefined ? filter.beforeId : earlier(readCursor(cursor, parseUlid), filter.beforeId)
  const rows = await listRows(kernel.db, { ...filter, beforeId }, pageSize + 1, offset)
  const { shown, next } = cutPage(rows, pageSize, ({ id }) => id)
  return { items: await withCurrentSteps(kernel, shown.map(viewOfRow)), ...next }
}

/** Ids are in order of start: a time range is an id range. */
export function filterOf(request: Omit<ListRequest, "page" | "pageSize" | "cursor">): InstanceFilter {
  return {
    definitionId: request.definitionId ?? null,
    status: request.status ?? null,
    businessKey: request.businessKey ?? null,
    version: request.version ?? null,
    failure: request.failure ?? null,
    afterId: request.startedAfter === undefined ? "" : ulidAt(request.startedAfter),
    beforeId: request.startedBefore === undefined ? "~" : ulidAt(request.startedBefore),
  }
}

export interface AuditView {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly kind: string
  readonly detail: JsonObject
}

const AUDIT_PAGE = 1_000

export async function getAudit(kernel: Kernel, instanceId: string, afterSeq: number): Promise<readonly AuditView[]> {
  await getInstanceRow(kernel.db, instanceId)
  const rows = await listAudit(kernel.db, instanceId, afterSeq, AUDIT_PAGE)
  return rows.map(({ seq, at, actor, kind, detail }) => ({
    seq,
    at: isoTime(at),
    actor,
    kind,
    detail: detail === null ? {} : (JSON.parse(detail) as JsonObject),
  }))
}
