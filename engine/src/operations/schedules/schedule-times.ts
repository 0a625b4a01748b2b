// The times of a schedule: read from a cron expression and a time zone, and refused with a message that says what to write instead.
import type { ScheduleRow } from "../../store/schedules/schedules.ts"
import { Cron, cronFault } from "../../support/cron.ts"
import { badRequest } from "../../support/errors.ts"
import { TimeZone } from "../../support/time-zone.ts"

export function checkTimes(cron: string, timezone: string, nowMs: number): Cron {
  const zone = TimeZone.find(timezone)
  if (!zone) throw refuse("timezone", timezone, "is not known", "write an IANA name such as Europe/Berlin, or UTC")
  const hint = 'write *, a number, a list 1,15, a range 9-17 or a step */5, such as "0 9 * * MON-FRI"'
  const fault = cronFault(cron)
  if (fault) throw refuse("cron", cron, fault, hint)
  const times = new Cron(cron, zone)
  if (times.next(nowMs) === undefined) throw refuse("cron", cron, "names a day that never comes", hint)
  return times
}

/** The times of a stored schedule; undefined where it was written by hand, or by an engine that knows more time zones. */
export function timesOf({ cron, timezone }: Pick<ScheduleRow, "cron" | "timezone">): Cron | undefined {
  const zone = TimeZone.find(timezone)
  return zone && cronFault(cron) === undefined ? new Cron(cron, zone) : undefined
}

function refuse(field: string, value: string, message: string, hint: string) {
  const shown = value.length > 64 ? `${value.slice(0, 64)}…` : value
  return badRequest(`${field} "${shown}": ${message}`, [{ path: `$.${field}`, message, hint }])
}
