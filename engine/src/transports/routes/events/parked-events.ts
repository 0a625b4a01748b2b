// Routes of the events that a sink did not take: look at them, replay or discard one, or all of a sink that match.
import type { wire } from "@millrace/sdk"
import {
  discardEvent,
  discardEvents,
  listParkedEvents,
  type ParkedChange,
  type ParkedEvent,
  replayEvent,
  replayEvents,
} from "../../../operations/events/parked-events.ts"
import { accepted, answerTo, json, nothing } from "../../calls/answers.ts"
import { decode, readCursorPage } from "../../calls/decode.ts"
import { operatorOf } from "../../calls/operator.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

const ONE = "/v1/events/parked/{sink}/{eventId}"
const write = { permission: "sinks:write" } as const

export const parkedEventRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/events/parked", permission: "events:read", handle: list },
  { method: "POST", path: "/v1/events/parked/replay", ...write, handle: replayMany },
  { method: "POST", path: "/v1/events/parked/discard", ...write, handle: discardMany },
  { method: "POST", path: `${ONE}/replay`, ...write, handle: replay },
  { method: "DELETE", path: ONE, ...write, handle: discard },
]

const KEY_BYTES = 512

async function list(call: Call): Promise<Answer> {
  const { filter, page } = decode(call, ({ query }) => ({
    filter: {
      sink: query.optionalText("sink"),
      type: query.optionalText("type"),
      key: query.optionalText("key", KEY_BYTES),
    },
    page: readCursorPage(query),
  }))
  return json<wire.ParkedEventPage>(200, await listParkedEvents(call.kernel, filter, page))
}

const eventOf = ({ params: { sink = "", eventId = "" } }: Call): ParkedEvent => ({ sink, id: eventId })

async function replay(call: Call): Promise<Answer> {
  return answerTo(await replayEvent(call.kernel, operatorOf(call), eventOf(call)), accepted<wire.ReplayedEvent>)
}

async function discard(call: Call): Promise<Answer> {
  return answerTo(await discardEvent(call.kernel, operatorOf(call), eventOf(call)), nothing)
}

async function replayMany(call: Call): Promise<Answer> {
  return answerTo(await replayEvents(call.kernel, operatorOf(call), readChange(call)), accepted<wire.ParkedChange>)
}

async function discardMany(call: Call): Promise<Answer> {
  return answerTo(await discardEvents(call.kernel, operatorOf(call), readChange(call)), accepted<wire.ParkedChange>)
}

/** A name that is misspelt must not match everything. */
const readChange = (call: Call): ParkedChange =>
  decode(call, ({ body }) => {
    const filter = body.within("filter")
    if (!filter) body.require("filter", "send an object with the sink; its other fields are optional")
    filter?.someOf(["sink", "type", "key"])
    return {
      filter: {
        sink: filter?.text("sink") ?? "",
        type: filter?.optionalText("type"),
        key: filter?.optionalText("key", KEY_BYTES),
      },
      dryRun: body.optionalFlag("dryRun") ?? false,
    }
  })
