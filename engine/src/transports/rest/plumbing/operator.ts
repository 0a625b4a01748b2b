// What the routes of operators share: the author of a change, and its answer.
import type { Applied, Operator } from "../../../operations/flow/change-live.ts"
import { json, noContent, replayed } from "./answers.ts"
import { requestKeyOf } from "./idempotency-key.ts"
import { type Answer, actorOf, type Call } from "./route.ts"

export const MAX_REASON = 2_000

export const operatorOf = (call: Call): Operator => ({ actor: actorOf(call), requestKey: requestKeyOf(call) })

export function answerTo(applied: Applied<unknown>): Answer | Promise<Answer> {
  if ("replay" in applied) return replayed(applied.replay)
  return applied.result === undefined ? noContent : json(200, applied.result)
}
