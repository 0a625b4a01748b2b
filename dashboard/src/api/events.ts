// Sinks that events go to, and the events that a sink did not take.
import type { wire } from "@millrace/sdk"
import { get, post, remove } from "./http.ts"

export type Sink = wire.Sink
export type ParkedEvent = wire.ParkedEvent

const PAGE_SIZE = 50

export const sinksQuery = {
  queryKey: ["sinks"],
  queryFn: async () => (await get<"listSinks">("/v1/sinks")).items,
}

/** In the order of publishing. */
export const parkedEventsQuery = (sink: string | undefined, cursor: string | undefined) => ({
  queryKey: ["parked-events", sink, cursor],
  queryFn: () => get<"listParkedEvents">("/v1/events/parked", { sink, cursor, pageSize: PAGE_SIZE }),
})

const at = ({ sink, id }: ParkedEvent): string =>
  `/v1/events/parked/${encodeURIComponent(sink)}/${encodeURIComponent(id)}`

export const replayEvent = (event: ParkedEvent) => post<"replayParkedEvent">(`${at(event)}/replay`)

export const discardEvent = (event: ParkedEvent) => remove<"discardParkedEvent">(at(event))
