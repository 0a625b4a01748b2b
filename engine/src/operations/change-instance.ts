// What people and outside systems do to one instance: cancel it, signal a wait, complete a user task.
import type { Transaction } from "../db/transaction.ts"
import { isTerminal } from "../model/machines/instance-machine.ts"
import type { Draft } from "../model/planner/draft.ts"
import { planCancel, planSignal, planUserTaskCompleted } from "../model/planner/plan-human.ts"
import { findInstance } from "../store/instances.ts"
import type { RequestKey } from "../store/keys.ts"
import { badRequest, conflict, notFound } from "../support/errors.ts"
import { isUlid } from "../support/ids.ts"
import type { JsonObject } from "../support/json.ts"
import { advance, advanceWithin, NOT_LIVE } from "./advance.ts"
import type { Context } from "./context.ts"
import { once, type Replay } from "./idempotency.ts"

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

export const cancelInstance = (ctx: Context, request: CancelRequest): Promise<Changed> =>
  change(ctx, request, (draft) => planCancel(draft, request.reason, request.actor))

export const signalWait = (ctx: Context, request: SignalRequest): Promise<Changed> =>
  change(ctx, request, (draft) => planSignal(draft, request.stepId, request.variables, request.actor), {
    stepId: request.stepId,
    type: "WAIT",
  })

export const completeUserTask = (ctx: Context, request: UserTaskCompletion): Promise<Changed> =>
  change(
    ctx,
    request,
    (draft) =>
      planUserTaskCompleted(
        draft,
        request.stepId,
        request.variables,
        request.completedBy ?? request.actor,
        request.actor,
      ),
    { stepId: request.stepId, type: "USER_TASK" },
  )

interface ExpectedStep {
  readonly stepId: string
  readonly type: string
}

async function change(
  ctx: Context,
  { instanceId, requestKey }: Change,
  decide: (draft: Draft) => void,
  expected?: ExpectedStep,
): Promise<Changed> {
  if (!isUlid(instanceId)) throw notFound(`there is no instance ${instanceId.slice(0, 64)}`)
  const run = async (tx?: Transaction) => {
    const item = { instanceId, decide: (draft: Draft) => decide(draft) }
    const outcome = tx ? await advanceWithin(ctx, tx, item) : await advance(ctx, item)
    if (outcome !== NOT_LIVE) return
    await refuseFinished(ctx, instanceId, expected)
    // Neither live nor finished when we looked at each: a manual retry has made it live in between.
    await run(tx)
  }
  if (!requestKey) return run().then(() => undefined)
  const done = await ctx.db.transaction((tx) =>
    once(
      tx,
      requestKey,
      () => run(tx),
      () => ({ status: 204, body: null }),
    ),
  )
  return "replay" in done ? done.replay : undefined
}

/** Unknown, or finished: which of the two, and whether the step was of the right kind at all. Returns when it is live after all. */
async function refuseFinished(ctx: Context, instanceId: string, expected?: ExpectedStep): Promise<void> {
  const row = await findInstance(ctx.db.aside, instanceId)
  if (!row) throw notFound(`there is no instance ${instanceId}`)
  if (!isTerminal(row.status)) return
  const definition = await ctx.definitions.version(row.definition_id, row.definition_version)
  if (expected && definition) {
    if (!definition.hasStep(expected.stepId)) throw notFound(`the definition has no step ${expected.stepId}`)
    const { type } = definition.step(expected.stepId)
    if (type !== expected.type) throw badRequest(`${expected.stepId} is a ${type}, not a ${expected.type}`)
  }
  throw conflict(`the instance is ${row.status} already`)
}
