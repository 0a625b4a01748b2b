// The stream: the overview and the watched instances, sent as server-sent events when they change.

import { Readable } from "node:stream"
import { feedOf } from "../../../operations/observability/overview-feed.ts"
import { badRequest, EngineError } from "../../../support/errors.ts"
import { authorize } from "../../calls/authorize.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

const MOST_INSTANCES = 20
/** A reader that is behind by this much is cut off. It connects again, and gets the present state. */
const BUFFER = 65_536
const CONTENT_TYPE = "text/event-stream; charset=utf-8"
/** How long a client should wait before it comes back. */
const OPENING = "retry: 2000\n\n"

export const streamRoutes = ({ draining }: Pick<RestOptions, "draining">): readonly Route[] => [
  {
    method: "GET",
    path: "/v1/stream",
    permission: "metrics:read",
    quiet: true,
    streams: true,
    handle: (call) => stream(call, draining),
  },
]

function stream(call: Call, draining: () => boolean): Answer {
  const instanceIds = readIds(call)
  if (instanceIds.length > 0) authorize(call.principal, "instances:read")
  if (draining()) throw new EngineError("unavailable", "this process is stopping; ask again, another one will answer")
  // A proxy that gathers an answer before it passes it on would gather this one for ever.
  return {
    status: 200,
    body: open(call, instanceIds),
    contentType: CONTENT_TYPE,
    headers: { "x-accel-buffering": "no" },
  }
}

function open({ kernel, gone }: Call, instanceIds: readonly string[]): Readable {
  const events = new Readable({ read() {}, highWaterMark: BUFFER })
  events.push(OPENING)
  const leave = feedOf(kernel).join({
    instanceIds,
    tell: (event, data) => {
      if (!events.push(`event: ${event}\ndata: ${data}\n\n`)) events.destroy()
    },
    end: () => events.push(null),
  })
  events.once("close", leave)
  const signal = gone()
  if (signal.aborted) events.destroy()
  else signal.addEventListener("abort", () => events.destroy(), { once: true })
  return events
}

function readIds({ query }: Call): readonly string[] {
  const sent = query.instanceId === undefined ? [] : [query.instanceId].flat()
  const ids = [...new Set(sent.map(String))]
  if (ids.length > MOST_INSTANCES) throw wrong(`is given more than ${MOST_INSTANCES} times`, "watch fewer instances")
  if (ids.some((id) => !/^[A-Za-z0-9_-]{1,64}$/.test(id)))
    throw wrong("is not the id of an instance", "send it as it was given")
  return ids
}

function wrong(message: string, hint: string): EngineError {
  const violation = { path: "query.instanceId", message, hint }
  return badRequest(`${violation.path} ${message}`, [violation])
}
