// Starts instances: plan with the latest definition, write the instance and its first jobs in one transaction.

import type { Outcome } from "../db/batcher.ts"
import { hasSqlState } from "../db/errors.ts"
import type { Transaction } from "../db/transaction.ts"
import type { Priority } from "../model/definition.ts"
import type { CompiledDefinition } from "../model/definitions/compile-definition.ts"
import { finishDraft, openDraft } from "../model/planner/draft.ts"
import { emptyState } from "../model/planner/instance.ts"
import { planStart } from "../model/planner/plan-start.ts"
import { checkVariables } from "../model/variable-schema.ts"
import { expectLatest, NEWER_VERSION } from "../store/definitions.ts"
import { insertFinishedInstances } from "../store/finished-instances.ts"
import { insertInstances, type NewInstanceRow } from "../store/instances.ts"
import { identity, insertBusinessKeys, type RequestKey } from "../store/keys.ts"
import { LOCK_TIMEOUT_MS, setLockTimeout } from "../store/session.ts"
import { assert } from "../support/assert.ts"
import { badRequest, conflict, notFound } from "../support/errors.ts"
import type { JsonObject } from "../support/json.ts"
import { announce, ensureQueuesOf, finishColumns, type PlannedInstance, writeEffects } from "./apply-plans.ts"
import { type Context, planContext } from "./context.ts"
import { claimRequestKeys, type Replay, releaseRequestKeys } from "./idempotency.ts"
import { currentStepIds, type InstanceView, isoTime } from "./instance-view.ts"

export interface StartRequest {
  readonly definitionId: string
  readonly definitionVersion?: number | undefined
  readonly variables: JsonObject
  readonly businessKey?: string | undefined
  readonly linkingId?: string | undefined
  readonly parentId?: string | undefined
  readonly priority?: Priority | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
  /** Roughly, in bytes: what the request brings along. */
  readonly size?: number
}

export interface StartItem {
  readonly request: StartRequest
  readonly definition: CompiledDefinition
}

export interface StartedInstance {
  readonly instance: InstanceView
  /** The answer of an earlier request with the same key, as first given. */
  readonly replay?: Replay
}

interface PlannedStart {
  readonly item: StartItem
  readonly planned: PlannedInstance
  readonly row: NewInstanceRow
  readonly view: InstanceView
}

export async function startInstance(ctx: Context, request: StartRequest): Promise<StartedInstance> {
  return ctx.starts.submit(await prepare(ctx, request))
}

/** Within a transaction of the caller's; a refusal is thrown and should end it. */
export async function startWithin(ctx: Context, tx: Transaction, request: StartRequest): Promise<PlannedInstance> {
  const { outcomes, planned } = await startAll(ctx, tx, [await prepare(ctx, request)])
  const [outcome] = outcomes
  if (outcome && "error" in outcome) throw outcome.error
  assert(planned[0], "an accepted start is planned")
  return planned[0]
}

async function prepare(ctx: Context, request: StartRequest): Promise<StartItem> {
  const definition = await findDefinition(ctx, request)
  return inputViolations(definition, request).length === 0 ? { request, definition } : refresh(ctx, request)
}

/** With the latest version there is now, whoever uploaded it: only that one may refuse a start. */
async function refresh(ctx: Context, request: StartRequest): Promise<StartItem> {
  ctx.definitions.forgetLatest(request.definitionId)
  const definition = await findDefinition(ctx, request)
  const violations = inputViolations(definition, request)
  if (violations.length > 0)
    throw badRequest(`the variables do not fit the input schema of ${definition.id}`, violations)
  return { request, definition }
}

async function findDefinition(
  ctx: Context,
  { definitionId, definitionVersion }: StartRequest,
): Promise<CompiledDefinition> {
  const definition =
    definitionVersion === undefined
      ? await ctx.definitions.latest(definitionId)
      : await ctx.definitions.version(definitionId, definitionVersion)
  if (definition) return definition
  const version = definitionVersion === undefined ? "" : ` version ${definitionVersion}`
  throw notFound(`there is no definition ${definitionId}${version}`)
}

function inputViolations({ definition: { inputSchema } }: CompiledDefinition, { variables }: StartRequest) {
  return inputSchema ? checkVariables(inputSchema, variables, "$.variables") : []
}

/** A batch that was planned with a version which is no longer the latest is planned again. */
export async function startBatch(
  ctx: Context,
  items: readonly StartItem[],
): Promise<readonly Outcome<StartedInstance>[]> {
  ctx.metrics.batchSize.observe({ operation: "start" }, items.length)
  const done = ctx.metrics.transactionDuration.startTimer({ tx_type: "start" })
  for (;;) {
    try {
      return await ctx.db.transaction(async (tx) => (await startAll(ctx, tx, items)).outcomes)
    } catch (error) {
      if (!hasSqlState(error, NEWER_VERSION)) throw error
      items = await Promise.all(items.map((item) => refresh(ctx, item.request)))
    } finally {
      done()
    }
  }
}

interface Started {
  readonly outcomes: readonly Outcome<StartedInstance>[]
  readonly planned: readonly PlannedInstance[]
}

async function startAll(ctx: Context, tx: Transaction, items: readonly StartItem[]): Promise<Started> {
  const starts = items.map((item) => plan(ctx, item))
  await ensureQueuesOf(
    ctx,
    starts.map((start) => start.planned),
  )
  const refused = await takeKeys(tx, starts)
  const accepted = starts.filter((start) => !refused.has(start))
  const outcomes = starts.map((start) => refused.get(start) ?? { value: { instance: start.view } })
  const planned = accepted.map((start) => start.planned)
  writeStarts(ctx, tx, accepted)
  tx.afterCommit(() => {
    ctx.metrics.instancesStarted.inc(planned.length)
    announce(ctx, planned)
  })
  return { outcomes, planned }
}

function plan(ctx: Context, item: StartItem): PlannedStart {
  const { request, definition } = item
  const id = ctx.newId()
  const nowMs = ctx.clock.nowMs()
  const priority = request.priority ?? definition.definition.priority ?? "normal"
  const { businessKey, variables } = request
  const draft = openDraft(
    definition,
    { id, status: "ACTIVE", priority, businessKey, state: emptyState, variables, version: 0 },
    planContext(ctx, nowMs),
  )
  planStart(draft, request.actor)
  const planned = { id, definition, businessKey, priority, version: 0, plan: finishDraft(draft), nowMs }
  const merged = draft.delta ? draft.variables : undefined
  return { item, planned, row: rowOf(request, planned, merged), view: viewOf(request, planned, merged ?? variables) }
}

function rowOf(request: StartRequest, planned: PlannedInstance, merged: JsonObject | undefined): NewInstanceRow {
  const { id, definition, plan } = planned
  return {
    id,
    definitionId: definition.id,
    definitionVersion: definition.version,
    status: plan.status,
    priority: planned.priority as Priority,
    businessKey: request.businessKey ?? null,
    linkingId: request.linkingId ?? null,
    parentId: request.parentId ?? null,
    input: JSON.stringify(request.variables),
    variables: merged ? JSON.stringify(merged) : null,
    state: JSON.stringify(plan.state),
    version: plan.version,
    readsVariables: definition.readsVariables,
    startedAt: planned.nowMs,
  }
}

function viewOf(
  request: StartRequest,
  { id, definition, plan, nowMs, priority }: PlannedInstance,
  variables: JsonObject,
): InstanceView {
  return {
    id,
    definitionId: definition.id,
    definitionVersion: definition.version,
    status: plan.status,
    currentStepIds: currentStepIds(plan.state),
    variables,
    startedAt: isoTime(nowMs),
    priority,
    ...(plan.finish ? { completedAt: isoTime(nowMs) } : {}),
    ...(plan.finish?.reason === undefined ? {} : { failureReason: plan.finish.reason }),
    ...(request.businessKey === undefined ? {} : { businessKey: request.businessKey }),
    ...(request.linkingId === undefined ? {} : { linkingId: request.linkingId }),
    ...(request.parentId === undefined ? {} : { parentId: request.parentId }),
  }
}

type Refused = Map<PlannedStart, Outcome<StartedInstance>>

/** The unique constraints decide: a repeated request gets its first answer, a taken business key is a conflict. */
async function takeKeys(tx: Transaction, starts: readonly PlannedStart[]): Promise<Refused> {
  const refused: Refused = new Map()
  const keyed = starts.filter((start) => start.item.request.requestKey)
  const unkeyed = starts.every(({ item, row }) => !item.request.requestKey && row.businessKey === null)
  if (unkeyed) return refused
  // Somebody else's open transaction may hold one of the keys: this batch does not wait for it without end.
  await setLockTimeout(tx, LOCK_TIMEOUT_MS)
  if (keyed.length > 0) {
    const replays = await claimRequestKeys(
      tx,
      keyed.map((s) => ({
        key: s.item.request.requestKey as RequestKey,
        answer: { status: 201, body: JSON.stringify(s.view) },
      })),
    )
    keyed.forEach((start, index) => {
      const replay = replays[index]
      if (replay) refused.set(start, "error" in replay ? replay : { value: { instance: start.view, replay } })
    })
  }
  const lost = await takeBusinessKeys(tx, starts, refused)
  if (lost.length > 0) releaseKeysOf(tx, lost, keyed, refused)
  return refused
}

/** Returns the starts whose key is taken. */
async function takeBusinessKeys(
  tx: Transaction,
  starts: readonly PlannedStart[],
  refused: Refused,
): Promise<readonly PlannedStart[]> {
  // An instance that ended within its first plan never holds its key.
  const wanting = starts.filter((s) => s.row.businessKey !== null && !s.planned.plan.finish && !refused.has(s))
  if (wanting.length === 0) return []
  const taken = await insertBusinessKeys(
    tx,
    wanting.map(({ row }) => ({
      definitionId: row.definitionId,
      businessKey: row.businessKey as string,
      instanceId: row.id,
    })),
  )
  const lost = wanting.filter((start) => !taken.has(start.row.id))
  for (const start of lost) {
    const { definitionId, businessKey } = start.row
    const error = conflict(`an unfinished instance of ${definitionId} has the business key ${businessKey}`)
    refused.set(start, { error })
  }
  return lost
}

/** A refused start leaves no answer behind; those of its repeats that are in the same batch are refused with it. */
function releaseKeysOf(
  tx: Transaction,
  lost: readonly PlannedStart[],
  keyed: readonly PlannedStart[],
  refused: Refused,
): void {
  const released = new Map<string, PlannedStart>()
  for (const start of lost) {
    const { requestKey } = start.item.request
    if (requestKey) released.set(identity(requestKey), start)
  }
  for (const start of keyed) {
    const first = released.get(identity(start.item.request.requestKey as RequestKey))
    const outcome = first && refused.get(first)
    if (outcome) refused.set(start, outcome)
  }
  releaseRequestKeys(
    tx,
    lost.flatMap((start) => start.item.request.requestKey ?? []),
  )
}

function writeStarts(ctx: Context, tx: Transaction, starts: readonly PlannedStart[]): void {
  if (starts.length === 0) return
  // The oldest of each: the starts of one batch may have been planned with different versions.
  const latest = new Map<string, number>()
  for (const { item } of starts) {
    const { id, version } = item.definition
    if (item.request.definitionVersion === undefined) latest.set(id, Math.min(version, latest.get(id) ?? version))
  }
  if (latest.size > 0) expectLatest(tx, latest)
  const live = starts.filter((start) => !start.planned.plan.finish)
  const finished = starts.filter((start) => start.planned.plan.finish)
  if (live.length > 0)
    insertInstances(
      tx,
      live.map((start) => start.row),
    )
  if (finished.length > 0) {
    insertFinishedInstances(
      tx,
      finished.map(({ row, planned }) => ({ ...row, ...finishColumns(planned.plan, planned.nowMs) })),
    )
  }
  writeEffects(
    ctx,
    tx,
    starts.map((start) => start.planned),
  )
}
