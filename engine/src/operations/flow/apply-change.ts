// One change by an operator: made once per request key, noted with who made it, and in force everywhere by the time it is answered.
import type { Transaction } from "../../db/transaction.ts"
import { type Change, countChange } from "../../store/flow/live-settings.ts"
import type { RequestKey } from "../../store/instances/keys.ts"
import type { Context } from "../kernel/context.ts"
import { once, type Replay } from "../kernel/idempotency.ts"
import { takeEffect } from "./live-settings.ts"

export interface Operator {
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

/** Who made the last one, where it is still known. */
export interface LastChange {
  readonly changedAt?: string
  readonly changedBy?: string
}

interface Made<View> {
  /** What the operator is answered; undefined is an answer without a body. */
  readonly view: View
  /** Undefined where all was as it should be. */
  readonly change: Omit<Change, "actor"> | undefined
}

export type Applied<View> = { readonly result: View } | { readonly replay: Replay }

type Work<View> = (tx: Transaction) => Promise<Made<View>> | Made<View>

export async function applyChange<View>(
  ctx: Context,
  { actor, requestKey }: Operator,
  work: Work<View>,
): Promise<Applied<View>> {
  const done = await ctx.db.transaction((tx) => once(tx, requestKey, () => make(tx, actor, work), answerOf))
  if ("replay" in done) return done
  const { view, version } = done.result
  if (version !== undefined) await takeEffect(ctx, version)
  return { result: view }
}

async function make<View>(tx: Transaction, actor: string, work: Work<View>) {
  const { view, change } = await work(tx)
  // Last: whoever changes something else at the same time waits for this count, and for nothing after it.
  return { view, version: change && (await countChange(tx, { actor, ...change })) }
}

const answerOf = ({ view }: { readonly view: unknown }) =>
  view === undefined ? { status: 204, body: null } : { status: 200, body: JSON.stringify(view) }
