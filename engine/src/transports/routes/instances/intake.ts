// Routes of intake, which accepts first and looks later, and of the events that runs wait for.
import type { wire } from "@millrace/sdk"
import { findByIntakeKey, type IntakeRequest, takeIntake } from "../../../operations/instances/start/take-intake.ts"
import { wakeOnce } from "../../../operations/runs/wake-runs.ts"
import { answerTo, json, ok } from "../../calls/answers.ts"
import { decode, notAnObject } from "../../calls/decode.ts"
import { intakeKeyInPath, intakeKeyOf, requestKeyOf } from "../../calls/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"
import { definitionIdOf } from "../definitions/definitions.ts"

export const intakeRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/intake/{definitionId}",
    permission: "instances:write",
    handle: take,
    bodyAsText: true,
    quiet: true,
  },
  { method: "GET", path: "/v1/intake/{definitionId}/{key}", permission: "instances:read", handle: find },
  { method: "POST", path: "/v1/wakeups", permission: "instances:write", handle: wake },
]

/** A repeat is answered like the first, whatever its body: nothing is compared, looked up or hashed. */
async function take(call: Call): Promise<Answer> {
  const key = intakeKeyOf(call)
  await takeIntake(call.kernel, requestOf(call, key))
  return { status: 202, body: `{"idempotencyKey":${JSON.stringify(key)}}` }
}

function requestOf(call: Call, key: string): IntakeRequest {
  const payload = payloadOf(call)
  return {
    definitionId: definitionIdOf(call),
    key,
    payload,
    linkingId: decode({ body: undefined, query: call.query }, ({ query }) => query.optionalText("linkingId")),
    door: call.door,
    actor: actorOf(call),
    trace: call.trace,
  }
}

/** JSON text of an object; no body is none. */
function payloadOf({ body }: Call): string {
  return typeof body === "string" && body.trimStart().startsWith("{") ? body : notAnObject()
}

async function find(call: Call): Promise<Answer> {
  return json<wire.Instance>(200, await findByIntakeKey(call.kernel, definitionIdOf(call), intakeKeyInPath(call)))
}

async function wake(call: Call): Promise<Answer> {
  const linkingId = decode(call, ({ body }) => body.text("linkingId"))
  return answerTo(await wakeOnce(call.kernel, linkingId, requestKeyOf(call)), ok<wire.Woken>)
}
