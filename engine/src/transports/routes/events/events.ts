// Routes that publish events: one, or many that are published together.
import type { wire } from "@millrace/sdk"
import { headersFault, typeFault } from "../../../model/events/event-rules.ts"
import { type PublishRequest, publishEvent, publishEvents } from "../../../operations/events/publish-event.ts"
import { accepted, answerTo } from "../../calls/answers.ts"
import { authorizeEventTypes } from "../../calls/authorize.ts"
import { decode } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const eventRoutes: readonly Route[] = [
  { method: "POST", path: "/v1/events", permission: "events:write", handle: publish },
  {
    method: "POST",
    path: "/v1/events/bulk",
    permission: "events:write",
    handle: publishMany,
    bodyKeys: 100_000,
    bodyOuterLevels: 2,
  },
]

const MOST_AT_ONCE = 1_000
const KEY_BYTES = 512

async function publish(call: Call): Promise<Answer> {
  const event = decode(call, ({ body }) => readEvent(body))
  authorizeEventTypes(call.principal, [event.type])
  const request = { ...event, trace: call.trace, requestKey: requestKeyOf(call) }
  return answerTo(await publishEvent(call.kernel, request), accepted<wire.PublishedEvent>)
}

/** All or none. */
async function publishMany(call: Call): Promise<Answer> {
  const events = decode(call, ({ body }) => {
    if (!body.has("events")) body.require("events", `send a list of at most ${MOST_AT_ONCE} events`)
    return body.each("events", MOST_AT_ONCE, readEvent)
  })
  authorizeEventTypes(
    call.principal,
    events.map(({ type }) => type),
  )
  const traced = events.map((event) => ({ ...event, trace: call.trace }))
  return answerTo(await publishEvents(call.kernel, traced, requestKeyOf(call)), (published) =>
    accepted<wire.PublishedEvents>({ ids: published.map(({ id }) => id) }),
  )
}

function readEvent(from: Fields): PublishRequest {
  if (!from.has("type")) from.require("type", "name what has happened, such as payment.initiated")
  if (!from.has("payload")) from.require("payload", "send an object, if need be an empty one")
  return {
    type: from.judged<string>("type", typeFault) ?? "",
    payload: from.object("payload") ?? {},
    key: from.optionalText("key", KEY_BYTES),
    headers: from.judged<Record<string, string>>("headers", headersFault),
  }
}
