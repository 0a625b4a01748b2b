// Reads instances: one, a page of them, a history with its deltas, the audit trail.

import type { CompiledDefinition } from "../model/definitions/compile-definition.ts"
import type { InstanceStatus } from "../model/machines/instance-machine.ts"
import type { InstanceState, OpenStep } from "../model/planner/instance.ts"
import { listAudit } from "../store/audit.ts"
import { countInstances, type InstanceFilter, listInstances as listRows } from "../store/finished-instances.ts"
import { type HistoryRow, listHistory } from "../store/history.ts"
import { findInstance, type InstanceRow } from "../store/instances.ts"
import { listRunSteps, type RecordedStepRow } from "../store/run-steps.ts"
import { badRequest, notFound } from "../support/errors.ts"
import { executionId, isUlid, ulidAt } from "../support/ids.ts"
import type { Context } from "./context.ts"
import { type InstanceView, isoTime, viewOfRow } from "./instance-view.ts"

export async function getInstanceRow(ctx: Context, id: string): Promise<InstanceRow> {
  const row = isUlid(id) ? await findInstance(ctx.db, id) : undefined
  if (!row) throw notFound(`there is no instance ${id.slice(0, 64)}`)
  return row
}

export const getInstance = async (ctx: Context, id: string): Promise<InstanceView> =>
  viewOfRow(await getInstanceRow(ctx, id))

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

export async function listInstances(ctx: Context, request: ListRequest): Promise<InstancePage> {
  const { page, pageSize, cursor } = request
  const offset = cursor === undefined ? page * pageSize : 0
  if (offset > COUNTED_TO) throw badRequest(`page ${page} is beyond the first ${COUNTED_TO} instances; use the cursor`)
  const filter = filterOf(request)
  const beforeId = cursor === undefined ? filter.beforeId : readCursor(cursor, filter.beforeId)
  const [rows, total] = await Promise.all([
    listRows(ctx.db, { ...filter, beforeId }, pageSize + 1, offset),
    countInstances(ctx.db, filter, COUNTED_TO + 1),
  ])
  const items = rows.slice(0, pageSize).map(viewOfRow)
  const last = rows.length > pageSize ? items.at(-1) : undefined
  return {
    items,
    total: Math.min(total, COUNTED_TO),
    totalIsExact: total <= COUNTED_TO,
    ...(last ? { nextCursor: writeCursor(last.id) } : {}),
  }
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

const writeCursor = (id: string): string => Buffer.from(id).toString("base64url")

function readCursor(cursor: string, beforeId: string): string {
  const id = Buffer.from(cursor, "base64url").toString()
  if (!isUlid(id)) throw badRequest("the cursor is not one of ours; start again without it")
  return id < beforeId ? id : beforeId
}

export interface StepView {
  readonly id: string
  readonly instanceId: string
  readonly stepId: string
  readonly stepType: string
  readonly attemptNumber: number
  readonly status: string
  readonly startedAt: string
  readonly endedAt?: string
  readonly failureReason?: string
  readonly output?: unknown
}

/** Finished executions and the open ones, in order of their start. */
export async function getHistory(ctx: Context, instanceId: string): Promise<readonly StepView[]> {
  const instance = await getInstanceRow(ctx, instanceId)
  const rows = await listHistory(ctx.db, instanceId)
  const closed = new Set(rows.map((row) => row.execution))
  const state = instance.state === null ? null : (JSON.parse(instance.state) as InstanceState)
  const definition = await ctx.definitions.version(instance.definition_id, instance.definition_version)
  const open = (state?.open ?? []).filter((step) => !closed.has(step.execution))
  const steps = [
    ...rows.map((row) => viewOfStep(instanceId, row)),
    ...open.map((step) => viewOfOpen(instanceId, step, definition?.step(step.stepId).type ?? "")),
    ...(definition?.isList
      ? (await listRunSteps(ctx.db, instanceId)).map((row) => viewOfRunStep(instance, definition, row))
      : []),
  ]
  return steps.sort((a, b) =>
    a.startedAt === b.startedAt ? (a.id < b.id ? -1 : 1) : a.startedAt < b.startedAt ? -1 : 1,
  )
}

function viewOfStep(instanceId: string, row: HistoryRow): StepView {
  return {
    id: executionId(instanceId, row.execution),
    instanceId,
    stepId: row.step_id,
    stepType: row.step_type,
    attemptNumber: row.attempt,
    status: row.status,
    startedAt: isoTime(row.started_at),
    endedAt: isoTime(row.ended_at),
    ...(row.failure_reason === null ? {} : { failureReason: row.failure_reason }),
    ...(row.delta === null ? {} : { output: JSON.parse(row.delta) }),
  }
}

/** A step that the worker of a list recorded: its id is its name, for the list itself is the execution. */
const viewOfRunStep = (instance: InstanceRow, definition: CompiledDefinition, row: RecordedStepRow): StepView => ({
  id: `${instance.id}/${row.name}`,
  instanceId: instance.id,
  stepId: row.name,
  stepType: definition.hasStep(row.name) ? definition.step(row.name).type : "SERVICE_TASK",
  attemptNumber: 1,
  // What a run still waited for when it ended has come to nothing.
  status: row.status !== "WAITING" ? row.status : instance.completed_at === null ? "RUNNING" : "SKIPPED",
  startedAt: isoTime(row.started_at),
  ...(row.status === "WAITING" ? {} : { endedAt: isoTime(row.ended_at) }),
  ...(row.error === null ? {} : { failureReason: row.error }),
  ...(row.status === "COMPLETED" && row.value !== null ? { output: JSON.parse(row.value) } : {}),
})

const viewOfOpen = (instanceId: string, open: OpenStep, stepType: string): StepView => ({
  id: executionId(instanceId, open.execution),
  instanceId,
  stepId: open.stepId,
  stepType,
  attemptNumber: open.attempt,
  status: "RUNNING",
  startedAt: isoTime(open.startedAt),
})

export interface AuditView {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly kind: string
  readonly detail: unknown
}

const AUDIT_PAGE = 1_000

export async function getAudit(ctx: Context, instanceId: string, afterSeq: number): Promise<readonly AuditView[]> {
  await getInstanceRow(ctx, instanceId)
  const rows = await listAudit(ctx.db, instanceId, afterSeq, AUDIT_PAGE)
  return rows.map(({ seq, at, actor, kind, detail }) => ({
    seq,
    at: isoTime(at),
    actor,
    kind,
    detail: detail === null ? {} : JSON.parse(detail),
  }))
}
