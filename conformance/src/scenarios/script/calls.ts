// The verbs that a program carries out: start, call and until.
import { Refusal } from "../control/refusal.ts"
import type { ActionOf } from "./action.ts"
import type { Stage } from "./stage.ts"
import { awaitLike, insist } from "./verdict.ts"

export async function playCall(stage: Stage, action: ActionOf<"call">): Promise<void> {
  const { call, with: args = {}, as, expect, refused, says, by } = action
  const outcome = stage.tell(by, call, args)
  if (refused !== undefined) return insistRefusal(outcome, [refused].flat(), says)
  const answer = await outcome
  insist(expect, answer)
  if (as) stage.values.set(as, answer)
}

export async function playStart(stage: Stage, { start, as = "it", ...rest }: ActionOf<"start">): Promise<void> {
  const { variables, businessKey, definitionVersion, idempotencyKey, priority, ...outcome } = rest
  const args = given({
    definitionId: start,
    ...{ variables, businessKey, definitionVersion, idempotencyKey, priority },
  })
  await playCall(stage, { call: "startInstance", with: args, as, ...outcome })
}

export async function playUntil(
  stage: Stage,
  { until, with: args = {}, doing = [], ...rest }: ActionOf<"until">,
): Promise<void> {
  const { as, expect, by } = rest
  const answer = await awaitLike(expect, async () => {
    for (const one of doing) await playCall(stage, one)
    return stage.tell(by, until, args)
  })
  if (as) stage.values.set(as, answer)
}

async function insistRefusal(outcome: Promise<unknown>, codes: readonly string[], says = ""): Promise<void> {
  const error = await outcome.then(
    (ok) => new Error(`expected to be refused with ${codes.join(" or ")}, but it was taken: ${JSON.stringify(ok)}`),
    (error: unknown) => error,
  )
  if (!(error instanceof Refusal)) throw error
  if (codes.includes(error.code) && new RegExp(says).test(error.message)) return
  const words = says === "" ? "" : ` in words that match ${says}`
  throw new Error(`expected ${codes.join(" or ")}${words}, was refused with ${error.message}`)
}

const given = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
