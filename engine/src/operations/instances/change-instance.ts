// What people and outside systems do to one instance: cancel it, signal a wait, complete a user task.

import type { Reader, Transaction } from "../../db/transaction.ts"
import type { StepType } from "../../model/definitions/definition.ts"
import { stepOfEnding } from "../../model/instances/child-ending.ts"
import type { Draft } from "../../model/instances/draft.ts"
import { isTerminal } from "../../model/instances/instance-machine.ts"
import { planCancel, planSignal, planUserTaskCompleted } from "../../model/instances/plan-human.ts"
import { wrongStep } from "../../model/instances/wrong-step.ts"
import { findInstance } from "../../store/instances/instances.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { badRequest, conflict, notFound } from "../../support/errors.ts"
import { isUlid } from "../../support/ids.ts"
import type { JsonObject } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { checkSize } from "../kernel/check-size.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { advance, advanceWithin, NOT_LIVE } from "./advance.ts"
import { type InstanceView, viewAfter, viewOfOne } from "./instance-view.ts"
import { judgedByWorkers } from "./judge-told.ts"
import { getInstanceRow } from "./read-instances.ts"

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

// Each in a batch with others, or within the given transaction.

/** The instance as it is then. */
export const cancelInstance = (kernel: Kernel, request: CancelRequest, tx?: Transaction): Promise<Done<InstanceView>> =>
  change(kernel, tx, request, {
    decide: (draft) => planCancel(draft, request.reason, request.actor),
    see: async (reader, draft) => {
      const row = await getInstanceRow(reader, request.instanceId)
      return draft ? viewAfter(row, { ...draft, state: draft }, draft.context.nowMs) : viewOfOne(row)
    },
  })

export const signalWait = async (kernel: Kernel, request: SignalRequest, tx?: Transaction): Promise<Done<void>> => {
  const child = stepOfEnding(request.stepId)
  if (child !== undefined && request.actor !== "engine")
    throw badRequest(`${request.stepId} is not for you to send: it comes when the child ${child} ends`)
  // The end of a child is as large as it is.
  if (child === undefined) checkSize(kernel.settings, JSON.stringify(request.variables), "the payload of the signal")
  const { stepId, variables, actor } = request
  return judgedByWorkers(kernel, request.instanceId, (judge) =>
    change(kernel, tx, request, {
      decide: (draft) => {
        judge(draft.definition, { name: stepId, payload: variables, path: "$", isSignal: child === undefined })
        planSignal(draft, stepId, variables, actor)
      },
      expected: { stepId, type: "WAIT" },
      see: async () => {},
    }),
  )
}

export async function completeUserTask(
  kernel: Kernel,
  request: UserTaskCompletion,
  tx?: Transaction,
): Promise<Done<void>> {
  const { stepId, variables, actor, completedBy = actor } = request
  checkSize(kernel.settings, JSON.stringify(variables), "the result")
  return judgedByWorkers(kernel, request.instanceId, (judge) =>
    change(kernel, tx, request, {
      decide: (draft) => {
        judge(draft.definition, { name: stepId, payload: variables, path: "$.variables" })
        planUserTaskCompleted(draft, stepId, variables, completedBy, actor)
      },
      expected: { stepId, type: "USER_TASK" },
      see: async () => {},
    }),
  )
}

interface Verb<T> {
  readonly decide: (draft: Draft) => void
  readonly expected?: ExpectedStep
  /** Reads the answer. Without a draft, a request of the previous version made the change, and nothing of it was kept. */
  readonly see: (reader: Reader, draft: Draft | undefined) => Promise<T>
}

interface ExpectedStep {
  readonly stepId: string
  readonly type: StepType
}

async function change<T>(
  kernel: Kernel,
  tx: Transaction | undefined,
  { instanceId, requestKey }: Change,
  { decide, expected, see }: Verb<T>,
): Promise<Done<T>> {
  if (!isUlid(instanceId)) throw notFound(`there is no instance ${instanceId.slice(0, 64)}`)
  const decided = (draft: Draft): Draft => {
    decide(draft)
    return draft
  }
  const run = async (tx?: Transaction): Promise<T> => {
    const item = { instanceId, decide: decided }
    const draft = tx ? await advanceWithin(kernel, tx, item) : await advance(kernel, item)
    if (draft !== NOT_LIVE) return see(tx ?? kernel.db, draft)
    await refuseFinished(kernel, instanceId, expected, tx)
    // Neither live nor finished when we looked at each: a manual retry has made it live in between.
    return run(tx)
  }
  if (!tx && !requestKey) return { outcome: await run(), isRepeat: false }
  const runOnce = (tx: Transaction) => once(tx, requestKey, { work: () => run(tx), readOld: () => see(tx, undefined) })
  return tx ? runOnce(tx) : kernel.db.transaction(runOnce)
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
    if (type !== expected.type) throw wrongStep(expected.stepId, type, expected.type)
  }
  throw conflict(`the instance is ${row.status} already`)
}
