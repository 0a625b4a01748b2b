// Events: published for every sink, and what an operator does about sinks and about what they did not take.

import type { CallOptions } from "../calls/caller.ts"
import type { ChangeOptions, OperationCaller } from "../calls/operation-caller.ts"
import { followCursor } from "../calls/pages.ts"
import type {
  ListParkedEventsQuery,
  NewEvent,
  ParkedChange,
  ParkedChangeRequest,
  ParkedEvent,
  ParkedEventPage,
  PublishedEvent,
  ReplayedEvent,
  Sink,
  Variables,
} from "../generated/wire.ts"

/** What goes with an event. */
export type EventOptions = Pick<NewEvent, "key" | "headers">

export class EventClient {
  readonly #operations: OperationCaller

  constructor(operations: OperationCaller) {
    this.#operations = operations
  }

  /** Its id, which stays the same however often it is delivered. */
  publish(
    type: string,
    payload: object,
    { key, headers, ...options }: EventOptions & ChangeOptions = {},
  ): Promise<PublishedEvent> {
    const more = { ...(key === undefined ? {} : { key }), ...(headers ? { headers } : {}) }
    return this.#operations.call("publishEvent", { body: { type, payload: payload as Variables, ...more } }, options)
  }

  /** All of them or none, in their order; their ids. */
  async publishMany(events: readonly NewEvent[], options?: ChangeOptions): Promise<readonly string[]> {
    return (await this.#operations.call("publishEvents", { body: { events: [...events] } }, options)).ids
  }

  /** Where events go, and how far each sink has come. */
  async sinks(options?: CallOptions): Promise<readonly Sink[]> {
    return (await this.#operations.call("listSinks", {}, options)).items
  }

  /** Its position and its parked events are gone. Refused while a process sends to it, unless `force` is true. */
  forgetSink(sink: string, body: { reason: string; force?: boolean }, options?: ChangeOptions): Promise<void> {
    return this.#operations.call("forgetSink", { path: { sink }, body }, options)
  }

  /** One page of what sinks did not take, in the order of publishing. */
  parked(query: ListParkedEventsQuery = {}, options?: CallOptions): Promise<ParkedEventPage> {
    return this.#operations.call("listParkedEvents", { query }, options)
  }

  /** All of it, page after page. */
  allParked(
    filter: Omit<ListParkedEventsQuery, "cursor" | "pageSize"> = {},
    options?: CallOptions,
  ): AsyncGenerator<ParkedEvent, void, undefined> {
    return followCursor((cursor) => this.parked({ ...filter, ...cursor }, options))
  }

  /** Sent again at once, with all its tries; those behind it follow. */
  replay(sink: string, eventId: string, options?: ChangeOptions): Promise<ReplayedEvent> {
    return this.#operations.call("replayParkedEvent", { path: { sink, eventId } }, options)
  }

  /** The sink will never be sent it. */
  discard(sink: string, eventId: string, options?: ChangeOptions): Promise<void> {
    return this.#operations.call("discardParkedEvent", { path: { sink, eventId } }, options)
  }

  replayAll(request: ParkedChangeRequest, options?: ChangeOptions): Promise<ParkedChange> {
    return this.#operations.call("replayParkedEvents", { body: request }, options)
  }

  discardAll(request: ParkedChangeRequest, options?: ChangeOptions): Promise<ParkedChange> {
    return this.#operations.call("discardParkedEvents", { body: request }, options)
  }
}
