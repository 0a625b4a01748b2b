// Routes of pauses: what is paused, by whom and why; pause and resume.
import type { wire } from "@millrace/sdk"
import { isPriority } from "../../../model/flow/weights.ts"
import { listPauses, PAUSE_KINDS, pause, resume } from "../../../operations/flow/change-pauses.ts"
import { badRequest, notFound } from "../../../support/errors.ts"
import { answerTo, json, nothing, ok } from "../../calls/answers.ts"
import { decode } from "../../calls/decode.ts"
import { MAX_REASON, operatorOf } from "../../calls/operator.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const pauseRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/pauses", permission: "jobs:read", quiet: true, handle: list },
  { method: "POST", path: "/v1/pauses", permission: "queues:write", handle: start },
  { method: "DELETE", path: "/v1/pauses/{kind}/{name}", permission: "queues:write", handle: end },
]

async function list({ kernel }: Call): Promise<Answer> {
  return json<wire.PauseList>(200, { items: await listPauses(kernel) })
}

async function start(call: Call): Promise<Answer> {
  const target = decode(call, ({ body }) => ({
    kind: body.oneOf("kind", PAUSE_KINDS),
    name: body.text("name"),
    reason: body.orAbsent((from) => from.optionalProse("reason", MAX_REASON)),
  }))
  if (target.kind === "queue" && !isPriority(target.name)) throw noSuchPriority()
  return answerTo(await pause(call.kernel, operatorOf(call), target), ok<wire.Pause>)
}

function noSuchPriority() {
  const violation = { path: "$.name", message: "must be a queue", hint: "critical, high or normal" }
  return badRequest(`${violation.path} ${violation.message}`, [violation])
}

async function end(call: Call): Promise<Answer> {
  const { name = "" } = call.params
  const kind = PAUSE_KINDS.find((known) => known === call.params.kind)
  if (!kind) throw notFound(`nothing of this kind can be paused; there are ${PAUSE_KINDS.join(", ")}`)
  return answerTo(await resume(call.kernel, operatorOf(call), { kind, name }), nothing)
}
