// Schedules: what is started by the clock.

import type { CallOptions } from "../calls/caller.ts"
import type { ChangeOptions, OperationCaller } from "../calls/operation-caller.ts"
import { followCursor } from "../calls/pages.ts"
import type * as wire from "../generated/wire.ts"
import type { Schedule, SchedulePage, ScheduleRun, ScheduleRunPage } from "../generated/wire.ts"
import type { ScheduleChange, ScheduleRequest } from "./queue-types.ts"

export class ScheduleClient {
  readonly #operations: OperationCaller

  constructor(operations: OperationCaller) {
    this.#operations = operations
  }

  list(query: wire.ListSchedulesQuery = {}, options?: CallOptions): Promise<SchedulePage> {
    return this.#operations.call("listSchedules", { query }, options)
  }

  all(options?: CallOptions): AsyncGenerator<Schedule, void, undefined> {
    return followCursor((cursor) => this.list(cursor, options))
  }

  create(request: ScheduleRequest, options?: ChangeOptions): Promise<Schedule> {
    return this.#operations.call("createSchedule", { body: request as wire.ScheduleRequest }, options)
  }

  get(id: string, options?: CallOptions): Promise<Schedule> {
    return this.#operations.call("getSchedule", { path: { scheduleId: id } }, options)
  }

  /** Makes it, or puts it in the place of the one that is there. */
  put(id: string, request: ScheduleRequest, options?: ChangeOptions): Promise<Schedule> {
    const body = request as wire.ScheduleRequest
    return this.#operations.call("putSchedule", { path: { scheduleId: id }, body }, options)
  }

  /** Fields that are left out stay as they are. */
  change(id: string, request: ScheduleChange, options?: ChangeOptions): Promise<Schedule> {
    const body = request as wire.ScheduleChange
    return this.#operations.call("changeSchedule", { path: { scheduleId: id }, body }, options)
  }

  delete(id: string, options?: ChangeOptions): Promise<void> {
    return this.#operations.call("deleteSchedule", { path: { scheduleId: id } }, options)
  }

  /** Now, besides its times. */
  run(id: string, options?: ChangeOptions): Promise<ScheduleRun> {
    return this.#operations.call("runSchedule", { path: { scheduleId: id } }, options)
  }

  /** What became of its times, newest first. */
  runs(id: string, query: wire.ListScheduleRunsQuery = {}, options?: CallOptions): Promise<ScheduleRunPage> {
    return this.#operations.call("listScheduleRuns", { path: { scheduleId: id }, query }, options)
  }
}
