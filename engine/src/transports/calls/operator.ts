// What the routes of operators share: the author of a change.
import type { Operator } from "../../operations/flow/change-live.ts"
import { requestKeyOf } from "./idempotency-key.ts"
import { actorOf, type Call } from "./route.ts"

export const MAX_REASON = 2_000

export const operatorOf = (call: Call): Operator => ({ actor: actorOf(call), requestKey: requestKeyOf(call) })
