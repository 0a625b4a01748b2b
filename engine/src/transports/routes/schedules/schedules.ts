// Routes of schedules: make, replace, remove, run by hand, and what became of each tick.
import type { wire } from "@millrace/sdk"
import { PRIORITIES } from "../../../model/definitions/definition.ts"
import { CATCH_UPS, OVERLAPS } from "../../../model/schedules/schedule-ticks.ts"
import { changeSchedule, type ScheduleChange } from "../../../operations/schedules/change-schedule.ts"
import {
  getSchedule,
  isScheduleId,
  listScheduleRuns,
  listSchedules,
  scheduleWithin,
} from "../../../operations/schedules/read-schedules.ts"
import { runSchedule } from "../../../operations/schedules/run-schedule.ts"
import {
  createSchedule,
  deleteSchedule,
  type PutSchedule,
  putSchedule,
} from "../../../operations/schedules/schedules.ts"
import { badRequest, notFound } from "../../../support/errors.ts"
import { answerTo, json, nothing, ok } from "../../calls/answers.ts"
import { DEFINITION_ID, decode, readCursorPage } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"

export const scheduleRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/schedules", permission: "jobs:read", handle: list },
  { method: "POST", path: "/v1/schedules", permission: "queues:write", handle: create },
  { method: "GET", path: "/v1/schedules/{scheduleId}", permission: "jobs:read", handle: get },
  { method: "PUT", path: "/v1/schedules/{scheduleId}", permission: "queues:write", handle: put },
  { method: "PATCH", path: "/v1/schedules/{scheduleId}", permission: "queues:write", handle: change },
  { method: "DELETE", path: "/v1/schedules/{scheduleId}", permission: "queues:write", handle: remove },
  { method: "POST", path: "/v1/schedules/{scheduleId}/run", permission: "queues:write", handle: run },
  { method: "GET", path: "/v1/schedules/{scheduleId}/runs", permission: "jobs:read", handle: runs },
]

const byOf = (call: Call) => ({ actor: actorOf(call), reach: call.reach, requestKey: requestKeyOf(call) })

async function list(call: Call): Promise<Answer> {
  const page = decode(call, ({ query }) => readCursorPage(query))
  const { items, ...next } = await listSchedules(call.kernel, page)
  return json<wire.SchedulePage>(200, { items: items.map((one) => scheduleWithin(call.reach, one)), ...next })
}

async function create(call: Call): Promise<Answer> {
  const spec = decode(call, ({ body }) => ({
    id: body.optionalText("id", 128) ?? call.kernel.newId(),
    ...readSpec(body),
  }))
  return answerTo(await createSchedule(call.kernel, spec, byOf(call)), sayPut(call))
}

async function put(call: Call): Promise<Answer> {
  const id = scheduleIdOf(call)
  const { named, ...spec } = decode(call, ({ body }) => ({ named: body.optionalText("id", 128), ...readSpec(body) }))
  if (named !== undefined && named !== id) throw otherId()
  return answerTo(await putSchedule(call.kernel, { id, ...spec }, byOf(call)), sayPut(call))
}

function otherId() {
  const violation = { path: "$.id", message: "is not the id in the path", hint: "leave it out, or send the same" }
  return badRequest(`${violation.path} ${violation.message}`, [violation])
}

const sayPut =
  ({ reach }: Call) =>
  ({ schedule, isNew }: PutSchedule): Answer =>
    json<wire.Schedule>(isNew ? 201 : 200, scheduleWithin(reach, schedule))

async function change(call: Call): Promise<Answer> {
  const id = scheduleIdOf(call)
  const given = decode(call, ({ body }) => {
    body.someOf(CHANGEABLE)
    return { ...readOptions(body), cron: body.optionalText("cron") }
  })
  return answerTo(await changeSchedule(call.kernel, { id, ...given }, byOf(call)), (schedule) =>
    ok<wire.Schedule>(scheduleWithin(call.reach, schedule)),
  )
}

const readSpec = (body: Fields) => ({ ...readOptions(body), cron: body.text("cron") })

const readOptions = (body: Fields) => ({
  timezone: body.optionalText("timezone", 64),
  definitionId: body.judged<string>("definitionId", definitionIdFault),
  jobType: body.routingName("jobType"),
  input: body.object("input"),
  priority: body.optionalOneOf("priority", PRIORITIES),
  overlap: body.optionalOneOf("overlap", OVERLAPS),
  catchUp: body.optionalOneOf("catchUp", CATCH_UPS),
  enabled: body.optionalFlag("enabled"),
})

/** The definition may be uploaded after its schedule, so only the form of its id is checked. */
const definitionIdFault = (id: unknown) =>
  typeof id === "string" && DEFINITION_ID.test(id)
    ? undefined
    : { message: "is not the id of a definition", hint: "write 1 to 256 letters, digits and _ : -" }

const CHANGEABLE = [
  "cron",
  "timezone",
  "definitionId",
  "jobType",
  "input",
  "priority",
  "overlap",
  "catchUp",
  "enabled",
] as const satisfies readonly (keyof ScheduleChange)[]

async function get(call: Call): Promise<Answer> {
  return ok<wire.Schedule>(scheduleWithin(call.reach, await getSchedule(call.kernel, scheduleIdOf(call))))
}

async function remove(call: Call): Promise<Answer> {
  return answerTo(await deleteSchedule(call.kernel, scheduleIdOf(call), byOf(call)), nothing)
}

async function run(call: Call): Promise<Answer> {
  return answerTo(
    await runSchedule(call.kernel, { id: scheduleIdOf(call), ...byOf(call), trace: call.trace }),
    ok<wire.ScheduleRun>,
  )
}

async function runs(call: Call): Promise<Answer> {
  const page = decode(call, ({ query }) => readCursorPage(query))
  return json<wire.ScheduleRunPage>(200, await listScheduleRuns(call.kernel, scheduleIdOf(call), page))
}

function scheduleIdOf({ params }: Call): string {
  const id = params.scheduleId ?? ""
  if (!isScheduleId(id)) throw notFound("there is no such schedule")
  return id
}
