// Routes of the sinks that events go to: how each stands, and an end to one that is no longer wanted.
import type { wire } from "@millrace/sdk"
import { forgetSink, listSinks } from "../../../operations/events/sinks.ts"
import { answerTo, json, nothing } from "../../calls/answers.ts"
import { decode } from "../../calls/decode.ts"
import { MAX_REASON, operatorOf } from "../../calls/operator.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const sinkRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/sinks", permission: "events:read", quiet: true, handle: list },
  { method: "POST", path: "/v1/sinks/{sink}/forget", permission: "sinks:write", handle: forget },
]

async function list({ kernel }: Call): Promise<Answer> {
  return json<wire.SinkList>(200, { items: await listSinks(kernel) })
}

async function forget(call: Call): Promise<Answer> {
  const { reason, force } = decode(call, ({ body }) => {
    const reason = body.optionalProse("reason", MAX_REASON)
    if (reason === undefined && !body.has("reason")) body.require("reason", "say why: it is kept with your name")
    return { reason: reason ?? "", force: body.optionalFlag("force") ?? false }
  })
  const request = { name: call.params.sink ?? "", reason, force }
  return answerTo(await forgetSink(call.kernel, operatorOf(call), request), nothing)
}
