// Intake: accept first, look later. One statement writes the run, or finds that its key was here before; both are answered alike.

import type { BatchOutcome, Outcome } from "../../db/batcher.ts"
import { hasSqlState, isContention } from "../../db/errors.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { Awaiting } from "../../model/instances/instance.ts"
import { NEWER_VERSION } from "../../store/definitions/definitions.ts"
import {
  compareIntake,
  findIntake,
  type IntakeRow,
  insertIntake,
  insertIntakeKeys,
} from "../../store/instances/intake.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import { assert } from "../../support/assert.ts"
import { EngineError, notFound } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { isTracing } from "../../support/spans.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { queuesOf } from "../flow/queue-registry.ts"
import { wakeupsOf } from "../jobs/claim/wakeups.ts"
import { batched } from "../kernel/batch.ts"
import { type CallersTx, within } from "../kernel/callers.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { METER_MS } from "../kernel/loops.ts"
import { producing } from "../observability/producer-span.ts"
import { announce, ensureQueuesOf } from "./apply-plans.ts"
import type { InstanceView } from "./instance-view.ts"
import { type PlannedStart, planNew, writeStarts } from "./planned-start.ts"
import { getInstance } from "./read-instances.ts"
import { findDefinition } from "./start-instance.ts"

export interface IntakeRequest {
  readonly definitionId: string
  /** The caller's: the unique constraint on it is the only dedup there is. */
  readonly key: string
  /** Or its JSON text, which is stored as it is: whoever gives it has judged it. */
  readonly payload: JsonObject | string
  readonly linkingId?: string | undefined
  readonly parentId?: string | undefined
  readonly awaitedBy?: Awaiting | undefined
  readonly priority?: Priority | undefined
  readonly actor: string
  /** Roughly, in bytes. */
  readonly size?: number
  /** Where it is asked for: carried to the workers of its steps. */
  readonly trace?: string | undefined
}

export interface IntakeItem {
  readonly key: string
  readonly size: number
  readonly start: PlannedStart
}

/** In a batch with others, or within the given transaction. */
export function takeIntake(kernel: Kernel, request: IntakeRequest, tx?: Transaction): Promise<void> {
  if (!isTracing()) return take(kernel, request, tx)
  const { definitionId } = request
  return producing(request, {
    name: "take-intake",
    attributes: { "messaging.destination.name": definitionId, "millrace.definition.id": definitionId },
    work: (traced) => take(kernel, traced, tx),
    made: () => ({}),
  })
}

async function take(kernel: Kernel, request: IntakeRequest, tx?: Transaction): Promise<void> {
  const item = await prepare(kernel, request)
  await (tx ? writeAll(kernel, tx, [item]) : intakes(kernel).submit(item))
}

export async function findByIntakeKey(kernel: Kernel, definitionId: string, key: string): Promise<InstanceView> {
  const instanceId = await findIntake(kernel.db, definitionId, key)
  if (instanceId === undefined) throw notFound(`nothing was taken in for ${definitionId} with the key ${key}`)
  return getInstance(kernel, instanceId)
}

/** One run per key, as a start: a repeat gives back the run that is there, and one with another input is refused. */
export async function startOnce(
  kernel: Kernel,
  request: IntakeRequest & { payload: JsonObject },
  tx?: CallersTx,
): Promise<string> {
  await within(kernel, tx, (own) => takeIntake(kernel, request, own))
  const { definitionId, key, payload } = request
  const found = await within(kernel, tx, (own) =>
    compareIntake(own ?? kernel.db, definitionId, key, JSON.stringify(payload)),
  )
  assert(found, "what was taken in is there")
  if (found.same !== false) return found.instance_id
  throw new EngineError("idempotency-mismatch", `the key ${key} of ${definitionId} was used with another input`)
}

async function prepare(kernel: Kernel, { key, payload, size = 0, ...request }: IntakeRequest): Promise<IntakeItem> {
  const definition = await findDefinition(kernel, request)
  return {
    key,
    size,
    start: planNew(kernel, { request: { ...request, ...contentOf(payload, definition) }, definition }),
  }
}

/** The first plan of a list looks at no variable: nobody need make a value of its text. */
function contentOf(payload: JsonObject | string, { isList }: CompiledDefinition) {
  if (typeof payload !== "string") return { variables: payload }
  return { variables: isList ? {} : (JSON.parse(payload) as JsonObject), variablesText: payload }
}

async function intakeBatch(kernel: Kernel, items: readonly IntakeItem[]): Promise<readonly BatchOutcome<void>[]> {
  kernel.metrics.batchSize.observe({ operation: "intake" }, items.length)
  try {
    await takeTogether(kernel, items, BATCH_WAIT_MS)
    return items.map(() => ({ value: undefined }))
  } catch (error) {
    if (!isContention(error)) throw error
    return items.map((item) => ({ later: takeLater(kernel, item) }))
  }
}

/** How long a batch waits for a key that an open transaction holds; then each goes alone, so that only those wait which must. */
const BATCH_WAIT_MS = 100

const takeLater = (kernel: Kernel, item: IntakeItem): Promise<Outcome<void>> =>
  lateIntakes(kernel)
    .submit(item)
    .then(
      (value) => ({ value }),
      (error) => ({ error }),
    )

async function intakeAlone(kernel: Kernel, items: readonly IntakeItem[]): Promise<readonly Outcome<void>[]> {
  await takeTogether(kernel, items)
  return items.map(() => ({ value: undefined }))
}

/** What was planned with a version which is no longer the latest is planned again. */
async function takeTogether(kernel: Kernel, items: readonly IntakeItem[], lockWaitMs?: number): Promise<void> {
  for (;;) {
    try {
      return await kernel.db.transaction(
        (tx) => writeAll(kernel, tx, items),
        lockWaitMs === undefined ? {} : { lockWaitMs },
      )
    } catch (error) {
      if (!hasSqlState(error, NEWER_VERSION)) throw error
      items = await Promise.all(items.map((item) => prepareAgain(kernel, item)))
    }
  }
}

function prepareAgain(kernel: Kernel, { key, size, start: { item } }: IntakeItem): Promise<IntakeItem> {
  const { variables, variablesText, ...request } = item.request
  definitionsOf(kernel).forgetLatest(request.definitionId)
  return prepare(kernel, { ...request, key, size, payload: variablesText ?? variables })
}

/** In the order of their keys: unsorted batches of hedged duplicates would deadlock. */
async function writeAll(kernel: Kernel, tx: Transaction, items: readonly IntakeItem[]): Promise<void> {
  const sorted = [...items].sort(byKey)
  await ensureQueuesOf(
    kernel,
    sorted.map(({ start }) => start.planned),
  )
  const lists = sorted.filter(({ start }) => start.item.definition.isList)
  if (lists.length > 0) writeLists(kernel, tx, lists)
  const graphs = sorted.filter(({ start }) => !start.item.definition.isList)
  if (graphs.length > 0) await writeGraphs(kernel, tx, graphs)
}

function byKey(a: IntakeItem, b: IntakeItem): number {
  const [one, other] = [a.start.row.definitionId, b.start.row.definitionId]
  return one === other ? (a.key < b.key ? -1 : 1) : one < other ? -1 : 1
}

function writeLists(kernel: Kernel, tx: Transaction, items: readonly IntakeItem[]): void {
  const rows = items.map((item) => toRow(kernel, item))
  insertIntake(tx, rows, kernel.settings.auditLogEnabled, (fresh) => {
    kernel.metrics.instancesStarted.inc(fresh)
    if (fresh === 0) return
    wakeupsOf(kernel).wake(queuesOf(kernel).known(rows.map((row) => row.queueId)))
    kernel.nudge("meter", METER_MS)
  })
}

function toRow(kernel: Kernel, { key, start: { row, planned, item } }: IntakeItem): IntakeRow {
  const [job] = planned.plan.newJobs
  assert(job, "a step list begins with its job")
  const { priority, jobType, downstream } = job
  const queueId = queuesOf(kernel).idOf({ priority, jobType, downstream, definitionId: planned.definition.id })
  return {
    ...row,
    key,
    actor: item.request.actor,
    queueId,
    retries: job.retries,
    deadlineMs: planned.definition.deadlineMs ?? null,
  }
}

/** A graph's first plan may be anything: its keys are taken first, in a round trip of their own. */
async function writeGraphs(kernel: Kernel, tx: Transaction, items: readonly IntakeItem[]): Promise<void> {
  const keys = items.map(({ key, start }) => ({ definitionId: start.row.definitionId, key, instanceId: start.row.id }))
  const [, fresh] = await Promise.all([setLockTimeout(tx), insertIntakeKeys(tx, keys)])
  const accepted = items.filter(({ start }) => fresh.has(start.row.id)).map(({ start }) => start)
  writeStarts(kernel, tx, accepted)
  const planned = accepted.map((start) => start.planned)
  tx.afterCommit(() => {
    kernel.metrics.instancesStarted.inc(planned.length)
    announce(kernel, planned)
  })
}

const intakes = batched<IntakeItem, void>({ run: intakeBatch, flights: 1, sizeOf: ({ size }) => size })
const lateIntakes = batched<IntakeItem, void>({ run: intakeAlone, flights: 2, maxItems: 1 })
