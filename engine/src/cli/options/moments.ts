// Moments on the command line: a time, or a duration that means that long ago.
import { parseDuration } from "../../model/kernel/durations.ts"
import { calledWrongly } from "../command-error.ts"
import { cellText } from "../drawing/cell-text.ts"

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/** The form that the wire has. An option that was not given stays undefined. */
export function momentOf<Text extends string | undefined>(option: string, text: Text): Text {
  return (text === undefined ? undefined : isoMoment(option, text)) as Text
}

function isoMoment(option: string, text: string): string {
  const ms = parseDuration(text)
  if (ms !== undefined) return new Date(Date.now() - ms).toISOString()
  if (TIME.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw calledWrongly(
    `${option} ${cellText(text)}: must be a time such as 2026-11-15T09:00:00Z, or a duration such as 2h`,
  )
}
