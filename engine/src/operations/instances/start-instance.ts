// Starts instances: plan with the latest definition, write the instance and its first jobs in one transaction.

import type { BatchOutcome, Outcome } from "../../db/batcher.ts"
import { hasSqlState, isContention } from "../../db/errors.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import { checkVariables } from "../../model/definitions/variable-schema.ts"
import type { Awaiting } from "../../model/instances/instance.ts"
import { isLatest, NEWER_VERSION } from "../../store/definitions/definitions.ts"
import type { RequestKey } from "../../store/instances/keys.ts"
import { assert } from "../../support/assert.ts"
import { badRequest, notFound } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { isTracing } from "../../support/spans.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { batched } from "../kernel/batch.ts"
import type { Replay } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { producing } from "../observability/producer-span.ts"
import { announce, ensureQueuesOf, type PlannedInstance } from "./apply-plans.ts"
import type { InstanceView } from "./instance-view.ts"
import { planNew, viewOf, writeStarts } from "./planned-start.ts"
import { takeKeys } from "./start-keys.ts"

export interface StartRequest {
  /** Given where the id was promised before the start. */
  readonly id?: string | undefined
  readonly definitionId: string
  readonly definitionVersion?: number | undefined
  readonly variables: JsonObject
  /** The same as JSON text, where that is at hand. */
  readonly variablesText?: string | undefined
  readonly businessKey?: string | undefined
  readonly linkingId?: string | undefined
  readonly parentId?: string | undefined
  /** The step of another run that is told of the end. */
  readonly awaitedBy?: Awaiting | undefined
  readonly priority?: Priority | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
  /** Roughly, in bytes: what the request brings along. */
  readonly size?: number
  /** Where it is asked for: carried to the workers of its steps. */
  readonly trace?: string | undefined
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

/** In a batch with others, or within the given transaction. */
export function startInstance(kernel: Kernel, request: StartRequest, tx?: Transaction): Promise<StartedInstance> {
  if (!isTracing()) return start(kernel, request, tx)
  return producing(request, {
    name: "start-instance",
    attributes: attributesOf(request),
    work: (traced) => start(kernel, traced, tx),
    made: ({ instance }) => ({ "millrace.instance.id": instance.id }),
  })
}

const attributesOf = ({ definitionId }: StartRequest) => ({
  "messaging.destination.name": definitionId,
  "millrace.definition.id": definitionId,
})

const start = async (kernel: Kernel, request: StartRequest, tx?: Transaction): Promise<StartedInstance> =>
  tx ? (await startOne(kernel, tx, request)).started : starts(kernel).submit(await prepare(kernel, request))

/** Within a transaction, where the plan is of interest. */
export async function startWithin(kernel: Kernel, tx: Transaction, request: StartRequest): Promise<PlannedInstance> {
  if (!isTracing()) return startPlanned(kernel, tx, request)
  return producing(request, {
    name: "start-instance",
    attributes: attributesOf(request),
    work: (traced) => startPlanned(kernel, tx, traced),
    made: ({ id }) => ({ "millrace.instance.id": id }),
  })
}

async function startPlanned(kernel: Kernel, tx: Transaction, request: StartRequest): Promise<PlannedInstance> {
  const { planned } = await startOne(kernel, tx, request)
  assert(planned, "a start without a key is planned")
  return planned
}

/** A refusal is thrown: nothing of the start is written then. */
async function startOne(kernel: Kernel, tx: Transaction, request: StartRequest) {
  const { outcomes, planned } = await startAll(kernel, tx, [await prepareWithin(kernel, tx, request)])
  const [outcome] = outcomes
  assert(outcome, "a start has an outcome")
  if ("error" in outcome) throw outcome.error
  return { started: outcome.value, planned: planned[0] }
}

/** A newer version fails our own transaction, which is then run again. A caller's must not fail for that, so it is asked first. */
async function prepareWithin(kernel: Kernel, tx: Transaction, request: StartRequest): Promise<StartItem> {
  const item = await prepare(kernel, request)
  const { id, version } = item.definition
  const isCurrent = tx.isOurs || request.definitionVersion !== undefined || (await isLatest(tx, id, version))
  return isCurrent ? item : refresh(kernel, request)
}

async function prepare(kernel: Kernel, request: StartRequest): Promise<StartItem> {
  const definition = await findDefinition(kernel, request)
  return inputViolations(definition, request).length === 0 ? { request, definition } : refresh(kernel, request)
}

/** With the latest version there is now, whoever uploaded it: only that one may refuse a start. */
async function refresh(kernel: Kernel, request: StartRequest): Promise<StartItem> {
  definitionsOf(kernel).forgetLatest(request.definitionId)
  const definition = await findDefinition(kernel, request)
  const violations = inputViolations(definition, request)
  if (violations.length > 0)
    throw badRequest(`the variables do not fit the input schema of ${definition.id}`, violations)
  return { request, definition }
}

export async function findDefinition(
  kernel: Kernel,
  { definitionId, definitionVersion }: Pick<StartRequest, "definitionId" | "definitionVersion">,
): Promise<CompiledDefinition> {
  const definition =
    definitionVersion === undefined
      ? await definitionsOf(kernel).latest(definitionId)
      : await definitionsOf(kernel).version(definitionId, definitionVersion)
  if (definition) return definition
  const version = definitionVersion === undefined ? "" : ` version ${definitionVersion}`
  throw notFound(`there is no definition ${definitionId}${version}`)
}

function inputViolations({ definition: { inputSchema } }: CompiledDefinition, { variables }: StartRequest) {
  return inputSchema ? checkVariables(inputSchema, variables, "$.variables") : []
}

/** How long a batch waits for a key that an open transaction holds, before it goes without those that want one. */
const BATCH_WAIT_MS = 100

async function startBatch(
  kernel: Kernel,
  items: readonly StartItem[],
): Promise<readonly BatchOutcome<StartedInstance>[]> {
  kernel.metrics.batchSize.observe({ operation: "start" }, items.length)
  try {
    return await startTogether(kernel, items, BATCH_WAIT_MS)
  } catch (error) {
    if (!isContention(error)) throw error
    const free = items.filter((item) => !hasKey(item))
    const outcomes = free.length > 0 ? await startTogether(kernel, free) : []
    return items.map((item) => outcomes[free.indexOf(item)] ?? { later: startLater(kernel, item) })
  }
}

const hasKey = ({ request }: StartItem): boolean =>
  request.requestKey !== undefined || request.businessKey !== undefined

/** Few at a time: each may hold a connection for as long as somebody else holds its key. */
const startLater = (kernel: Kernel, item: StartItem): Promise<Outcome<StartedInstance>> =>
  lateStarts(kernel)
    .submit(item)
    .then(
      (value) => ({ value }),
      (error) => ({ error }),
    )

const startAlone = (kernel: Kernel, items: readonly StartItem[]) => startTogether(kernel, items)

/** A batch that was planned with a version which is no longer the latest is planned again. */
async function startTogether(
  kernel: Kernel,
  items: readonly StartItem[],
  lockWaitMs?: number,
): Promise<readonly Outcome<StartedInstance>[]> {
  const done = kernel.metrics.transactionDuration.startTimer({ tx_type: "start" })
  for (;;) {
    try {
      const work = async (tx: Transaction) => (await startAll(kernel, tx, items)).outcomes
      return await kernel.db.transaction(work, lockWaitMs === undefined ? {} : { lockWaitMs })
    } catch (error) {
      if (!hasSqlState(error, NEWER_VERSION)) throw error
      items = await Promise.all(items.map((item) => refresh(kernel, item.request)))
    } finally {
      done()
    }
  }
}

interface Started {
  readonly outcomes: readonly Outcome<StartedInstance>[]
  readonly planned: readonly PlannedInstance[]
}

async function startAll(kernel: Kernel, tx: Transaction, items: readonly StartItem[]): Promise<Started> {
  const starts = items.map((item) => planNew(kernel, item))
  await ensureQueuesOf(
    kernel,
    starts.map((start) => start.planned),
  )
  const refused = await takeKeys(tx, starts)
  const accepted = starts.filter((start) => !refused.has(start))
  const outcomes = starts.map((start) => refused.get(start) ?? { value: { instance: viewOf(start) } })
  const planned = accepted.map((start) => start.planned)
  writeStarts(kernel, tx, accepted)
  // Nobody is told of a caller's commit: there they count as they are written.
  if (!tx.isOurs) kernel.metrics.instancesStarted.inc(planned.length)
  tx.afterCommit(() => {
    if (tx.isOurs) kernel.metrics.instancesStarted.inc(planned.length)
    announce(kernel, planned)
  })
  return { outcomes, planned }
}

const starts = batched<StartItem, StartedInstance>({
  run: startBatch,
  flights: 2,
  sizeOf: ({ request }) => request.size ?? 0,
})
const lateStarts = batched<StartItem, StartedInstance>({ run: startAlone, flights: 2, maxItems: 1 })
