// Runs what SQL has asked for: the request goes in the transaction that does what it asks, so it is done exactly once.

import { hasSqlState, isPassing } from "../../db/errors.ts"
import type { Transaction } from "../../db/transaction.ts"
import { PRIORITIES, type Priority } from "../../model/definitions/definition.ts"
import { endingOf } from "../../model/instances/child-ending.ts"
import { NEWER_VERSION } from "../../store/definitions/definitions.ts"
import { deleteRequest, lockNextRequests, postponeRequest, type RequestRow } from "../../store/instances/requests.ts"
import { insertSignals } from "../../store/runs/signals.ts"
import { badRequest, EngineError } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { parseJson } from "../../support/json-scan.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { concernsAll, mayPass } from "../kernel/passing-failures.ts"
import { cancelInstance, completeUserTask, signalWait } from "./change-instance.ts"
import { startInstance } from "./start/start-instance.ts"

const BATCH = 100
/** With delays of 1, 2, 4 … 60 s: about six minutes, for a definition that is uploaded late or a wait that is not reached yet. */
const TRIES = 12
/** A request whose instance or key another transaction holds is tried again later: the requests behind it do not wait for that. */
const LOCK_WAIT_MS = 50

/** In the order they were asked for; one that cannot be done now is put off. Returns how many were looked at. */
export async function runRequests(kernel: Kernel, proveTerm: ProveTerm): Promise<number> {
  try {
    return (await runNext(kernel, proveTerm, BATCH)).length
  } catch (error) {
    if (concernsAll(error)) throw error
    // A statement has failed, and the batch with it: whose it was is found out one by one.
    let count = 0
    while (count < BATCH && (await runAlone(kernel, proveTerm))) count += 1
    return count
  }
}

/** One transaction: 2,000 starts in 1.0 s instead of 4.3 s. What is refused is put off in it; a statement that fails undoes it. */
async function runNext(
  kernel: Kernel,
  proveTerm: ProveTerm,
  limit: number,
  onLocked?: (requests: readonly RequestRow[]) => void,
): Promise<readonly RequestRow[]> {
  const work = async (tx: Transaction) => {
    await proveTerm(tx)
    const requests = onePerInstance(await lockNextRequests(tx, limit))
    onLocked?.(requests)
    for (const request of requests) await runOne(kernel, tx, request)
    return requests
  }
  return kernel.db.transaction(work, { lockWaitMs: LOCK_WAIT_MS })
}

/** What one writes is not there yet for the next to read: the second for an instance, and those behind it, wait for the next batch. */
function onePerInstance(requests: readonly RequestRow[]): readonly RequestRow[] {
  const seen = new Set<string>()
  const repeated = requests.findIndex(({ instance_id }) => seen.has(instance_id) || !seen.add(instance_id))
  return repeated < 0 ? requests : requests.slice(0, repeated)
}

async function runOne(kernel: Kernel, tx: Transaction, request: RequestRow): Promise<void> {
  try {
    await apply(kernel, tx, request)
    deleteRequest(tx, request.seq)
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    postpone(kernel, tx, request, error)
  }
}

async function runAlone(kernel: Kernel, proveTerm: ProveTerm): Promise<boolean> {
  let request: RequestRow | undefined
  try {
    await runNext(kernel, proveTerm, 1, ([locked]) => {
      request = locked
    })
    return request !== undefined
  } catch (error) {
    const failed = request
    if (!failed || concernsAll(error)) throw error
    await kernel.db.transaction(async (tx) => {
      await proveTerm(tx)
      postpone(kernel, tx, failed, error)
    })
    return true
  }
}

async function apply(kernel: Kernel, tx: Transaction, { verb, instance_id: instanceId, actor, ...row }: RequestRow) {
  const given = parseJson(row.arguments) as Arguments
  const change = { instanceId, actor }
  if (verb === "start") return startInstance(kernel, { id: instanceId, door: "sql", actor, ...startOf(given) }, tx)
  if (verb === "cancel") return cancelInstance(kernel, { ...change, reason: given.reason ?? undefined }, tx)
  if (verb === "cancel_child") return cancelChild(kernel, tx, { ...change, reason: given.reason ?? undefined })
  if (verb === "ending") return tellEnding(kernel, tx, change, given)
  if (verb === "signal")
    return signalWait(kernel, { ...change, stepId: given.name ?? "", variables: given.payload ?? {} }, tx)
  const { step_id: stepId = "", variables = {}, completed_by } = given
  const completion = { ...change, stepId: stepId ?? "", variables, completedBy: completed_by ?? undefined }
  return completeUserTask(kernel, completion, tx)
}

/** One that has ended by itself meanwhile needs no cancel. */
async function cancelChild(kernel: Kernel, tx: Transaction, request: Parameters<typeof cancelInstance>[1]) {
  try {
    await cancelInstance(kernel, request, tx)
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "conflict") throw error
  }
}

/** A run that has ended meanwhile does not want to know any more, unless it has failed and is retried: then it looks for it. */
async function tellEnding(
  kernel: Kernel,
  tx: Transaction,
  change: { instanceId: string; actor: string },
  { name, payload }: Arguments,
) {
  const ending = { name: endingOf(name ?? ""), payload: payload ?? {} }
  try {
    await signalWait(kernel, { ...change, stepId: ending.name, variables: ending.payload }, tx)
  } catch (error) {
    if (!(error instanceof EngineError) || !["conflict", "not-found"].includes(error.code)) throw error
    const { instanceId } = change
    if (error.code === "conflict") insertSignals(tx, [{ ...ending, instanceId, receivedAt: kernel.clock.nowMs() }])
  }
}

/** Each of them belongs to some verb; SQL leaves null what was not given. */
type Arguments = { readonly [name in TextName]?: string | null } & { readonly [name in ObjectName]?: JsonObject }
type TextName =
  | "definition_id"
  | "linking_id"
  | "business_key"
  | "priority"
  | "name"
  | "reason"
  | "step_id"
  | "completed_by"
type ObjectName = "variables" | "payload"

function startOf({ definition_id, variables, linking_id, business_key, priority }: Arguments) {
  if (priority && !(PRIORITIES as readonly string[]).includes(priority)) {
    throw badRequest(`priority must be one of ${PRIORITIES.join(", ")}, not ${priority}`)
  }
  return {
    definitionId: definition_id ?? "",
    variables: variables ?? {},
    linkingId: linking_id ?? undefined,
    businessKey: business_key ?? undefined,
    priority: (priority ?? undefined) as Priority | undefined,
  }
}

function postpone(kernel: Kernel, tx: Transaction, request: RequestRow, error: unknown): void {
  const { seq, verb, instance_id: instanceId, failures } = request
  if (verb === "start") forgetDefinition(kernel, request, error)
  const setAside = isHopeless(error) || (failures + 1 >= TRIES && !mayPass(error) && !isPassing(error))
  const fate = setAside ? "it is set aside" : "it is tried again"
  kernel.log.error({ err: error, seq, verb, instanceId }, `a request from SQL could not be done; ${fate}`)
  postponeRequest(tx, { seq, error: (error as Error).message, setAside })
}

/** Refused the same way each time. One that may pass, on the other hand, is tried again without end. */
const isHopeless = (error: unknown): boolean => error instanceof EngineError && error.code === "payload-too-large"

function forgetDefinition(kernel: Kernel, request: RequestRow, error: unknown): void {
  if (!hasSqlState(error, NEWER_VERSION)) return
  definitionsOf(kernel).forgetLatest((JSON.parse(request.arguments) as { definition_id: string }).definition_id)
}
