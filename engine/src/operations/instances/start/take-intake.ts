// Intake: stored first, validated later. The first submission of a key starts a run; repeats of the key get the same answer.
import type { Transaction } from "../../../db/transaction.ts"
import { findInstance } from "../../../store/instances/instances.ts"
import { compareIntake, findIntake } from "../../../store/instances/intake.ts"
import { assert } from "../../../support/assert.ts"
import { EngineError, notFound } from "../../../support/errors.ts"
import type { JsonObject } from "../../../support/json.ts"
import { isTracing } from "../../../support/spans.ts"
import { type CallersTx, within } from "../../kernel/callers.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { producing } from "../../observability/producer-span.ts"
import type { InstanceView } from "../instance-view.ts"
import { showInstance, showRow } from "../read-instances.ts"
import { judgeInput, prepareIntake } from "./prepare-start.ts"
import { intakes, startAll } from "./start-batch.ts"
import type { StartRequest } from "./start-request.ts"

export interface IntakeRequest
  extends Omit<StartRequest, "definitionVersion" | "variables" | "variablesText" | "businessKey" | "requestKey"> {
  /** The caller's: the unique constraint on it is the only dedup there is. */
  readonly key: string
  /** JSON text is stored as it is, so the caller must have checked it. */
  readonly payload: JsonObject | string
}

/** In a batch with others, or within the given transaction. */
export function takeIntake(kernel: Kernel, request: IntakeRequest, tx?: Transaction): Promise<void> {
  const take = (given: IntakeRequest) => takeIn(kernel, given, tx)
  if (!isTracing()) return take(request)
  const { definitionId } = request
  return producing(request, {
    name: "take-intake",
    attributes: { "messaging.destination.name": definitionId, "millrace.definition.id": definitionId },
    work: take,
    made: () => ({}),
  })
}

async function takeIn(kernel: Kernel, { key, payload, ...request }: IntakeRequest, tx?: Transaction): Promise<void> {
  const content = typeof payload === "string" ? { variables: {}, variablesText: payload } : { variables: payload }
  const start = await prepareIntake(kernel, key, { ...request, ...content })
  await (tx ? startAll(kernel, tx, [start]) : intakes(kernel).submit(start))
}

export async function findByIntakeKey(kernel: Kernel, definitionId: string, key: string): Promise<InstanceView> {
  const instanceId = await findIntake(kernel.db, definitionId, key)
  if (instanceId === undefined) throw notFound(`nothing was taken in for ${definitionId} with the key ${key}`)
  return showInstance(kernel, instanceId)
}

/** Undefined also while SQL has only asked for it. */
export async function findByKey(
  kernel: Kernel,
  definitionId: string,
  key: string,
): Promise<(InstanceView & { readonly key: string }) | undefined> {
  const instanceId = await findIntake(kernel.db, definitionId, key)
  const row = instanceId === undefined ? undefined : await findInstance(kernel.db, instanceId)
  return row && { ...(await showRow(kernel, row)), key }
}

/** One run per key, as a start: a repeat gives back the run that is there, and one with another input is refused. */
export async function startOnce(
  kernel: Kernel,
  request: IntakeRequest & { payload: JsonObject },
  tx?: CallersTx,
): Promise<string> {
  const { definitionId, key, payload, ...rest } = request
  await judgeInput(kernel, { ...rest, definitionId, variables: payload })
  await within(kernel, tx, (own) => takeIntake(kernel, request, own))
  const found = await within(kernel, tx, (own) =>
    compareIntake(own ?? kernel.db, definitionId, key, JSON.stringify(payload)),
  )
  assert(found, "what was taken in is there")
  if (found.same !== false) return found.instance_id
  const taken = `the key ${key} of ${definitionId} is that of the run ${found.instance_id}`
  throw new EngineError("idempotency-mismatch", `${taken}, which was started with another input`)
}
