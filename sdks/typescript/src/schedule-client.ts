// Schedules: what is started by the clock.
import type { CallOptions } from "./caller.ts"
import { followCursor } from "./pages.ts"
import { at } from "./paths.ts"
import type { Schedule, SchedulePage, ScheduleRequest, ScheduleRun, ScheduleRunPage } from "./queue-types.ts"
import type { ChangeOptions, Wire } from "./wire.ts"

type Paging = { readonly pageSize?: number; readonly cursor?: string }

export class ScheduleClient {
  readonly #wire: Wire

  constructor(wire: Wire) {
    this.#wire = wire
  }

  list(query: Paging = {}, options?: CallOptions): Promise<SchedulePage> {
    return this.#wire.get("/v1/schedules", { ...query }, options)
  }

  all(options?: CallOptions): AsyncGenerator<Schedule, void, undefined> {
    return followCursor((cursor) => this.list(cursor, options))
  }

  create(request: ScheduleRequest, options?: ChangeOptions): Promise<Schedule> {
    return this.#wire.post("/v1/schedules", request, options)
  }

  get(id: string, options?: CallOptions): Promise<Schedule> {
    return this.#wire.get(at`/v1/schedules/${id}`, {}, options)
  }

  /** Makes it, or puts it in the place of the one that is there. */
  put(id: string, request: ScheduleRequest, options?: ChangeOptions): Promise<Schedule> {
    return this.#wire.change("PUT", at`/v1/schedules/${id}`, request, options)
  }

  delete(id: string, options?: ChangeOptions): Promise<void> {
    return this.#wire.change("DELETE", at`/v1/schedules/${id}`, undefined, options)
  }

  /** Now, besides its times. */
  run(id: string, options?: ChangeOptions): Promise<ScheduleRun> {
    return this.#wire.change("POST", at`/v1/schedules/${id}/run`, undefined, options)
  }

  /** What became of its times, newest first. */
  runs(id: string, query: Paging = {}, options?: CallOptions): Promise<ScheduleRunPage> {
    return this.#wire.get(at`/v1/schedules/${id}/runs`, { ...query }, options)
  }
}
