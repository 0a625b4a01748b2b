// What people and outside systems do to one instance: cancel it, signal a wait, complete a user task.

import type { Transaction } from "../../db/transaction.ts"
import type { Draft } from "../../model/instances/draft.ts"
import { isTerminal } from "../../model/instances/instance-machine.ts"
import { planCancel, planSignal, planUserTaskCompleted } from "../../model/instances/plan-human.ts"
import { findInstance } from "../../store/instances/instances.ts"
import type { RequestKey } from "../../store/instances/keys.ts"
import { badRequest, conflict, notFound } from "../../support/errors.ts"
import { isUlid } from "../../support/ids.ts"
import type { JsonObject } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { once, type Replay } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { stepOfEnding } from "../runs/start-child.ts"
import { advance, advanceWithin, NOT_LIVE } from "./advance.ts"

interface Change {
  readonly instanceId: string
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

export interface CancelRequest extends Change {
  readonly reason: string | undefined
}

export interface SignalRequest extends Change {
  readonly stepId: string
  readonly variables: JsonObject
}

export interface UserTaskCompletion extends Change {
  readonly stepId: string
  readonly variables: JsonObject
  readonly completedBy: string | undefined
}

/** Undefined when it was done now; else the answer of the first request with this key. */
export type Changed = Replay | undefined

// Each in a batch with others, or within the given transaction.

export const cancelInstance = (kernel: Kernel, request: CancelRequest, tx?: Transaction): Promise<Changed> =>
  change(kernel, tx, request, { decide: (draft) => planCancel(draft, request.reason, request.actor) })

export const signalWait = async (kernel: Kernel, request: SignalRequest, tx?: Transaction): Promise<Changed> => {
  const child = stepOfEnding(request.stepId)
  if (child !== undefined && request.actor !== "engine")
    throw badRequest(`${request.stepId} is not for you to send: it comes when the child ${child} ends`)
  return change(kernel, tx, request, {
    decide: (draft) => planSignal(draft, request.stepId, request.variables, request.actor),
    expected: { stepId: request.stepId, type: "WAIT" },
  })
}

export function completeUserTask(kernel: Kernel, request: UserTaskCompletion, tx?: Transaction): Promise<Changed> {
  const { stepId, variables, actor, completedBy = actor } = request
  return change(kernel, tx, request, {
    decide: (draft) => planUserTaskCompleted(draft, stepId, variables, completedBy, actor),
    expected: { stepId, type: "USER_TASK" },
  })
}

interface Verb {
  readonly decide: (draft: Draft) => void
  readonly expected?: ExpectedStep
}

interface ExpectedStep {
  readonly stepId: string
  readonly type: string
}

async function change(
  kernel: Kernel,
  tx: Transaction | undefined,
  { instanceId, requestKey }: Change,
  { decide, expected }: Verb,
): Promise<Changed> {
  if (!isUlid(instanceId)) throw notFound(`there is no instance ${instanceId.slice(0, 64)}`)
  const run = async (tx?: Transaction) => {
    const item = { instanceId, decide: (draft: Draft) => decide(draft) }
    const outcome = tx ? await advanceWithin(kernel, tx, item) : await advance(kernel, item)
    if (outcome !== NOT_LIVE) return
    await refuseFinished(kernel, instanceId, expected, tx)
    // Neither live nor finished when we looked at each: a manual retry has made it live in between.
    await run(tx)
  }
  if (!tx && !requestKey) return run().then(() => undefined)
  const runOnce = (tx: Transaction) =>
    once(
      tx,
      requestKey,
      () => run(tx),
      () => ({ status: 204, body: null }),
    )
  const done = tx ? await runOnce(tx) : await kernel.db.transaction(runOnce)
  return "replay" in done ? done.replay : undefined
}

/** Unknown, or finished: which of the two, and whether the step was of the right kind at all. Returns when it is live after all. */
async function refuseFinished(
  kernel: Kernel,
  instanceId: string,
  expected: ExpectedStep | undefined,
  tx: Transaction | undefined,
): Promise<void> {
  // A transaction may have ended the instance itself: only it can see that.
  const row = await findInstance(tx ?? kernel.db.aside, instanceId)
  if (!row) throw notFound(`there is no instance ${instanceId}`)
  if (!isTerminal(row.status)) return
  const definition = await definitionsOf(kernel).version(row.definition_id, row.definition_version)
  if (expected && definition) {
    const isKnown = definition.hasStep(expected.stepId)
    // What a run of a list waited for only its worker knew.
    if (!isKnown && !definition.isList) throw notFound(`the definition has no step ${expected.stepId}`)
    const type = isKnown ? definition.step(expected.stepId).type : expected.type
    if (type !== expected.type) throw badRequest(`${expected.stepId} is a ${type}, not a ${expected.type}`)
  }
  throw conflict(`the instance is ${row.status} already`)
}
