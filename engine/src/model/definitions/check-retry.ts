// How a step may ask to be retried: a policy, or retryCount as its shorthand, not both.
import { isObject } from "../../support/json.ts"
import { parseIsoDuration } from "../kernel/durations.ts"
import { checkFields, fields } from "./check-fields.ts"
import { type Check, duration, number, oneOf, type Report } from "./checks.ts"
import { child } from "./json-path.ts"

const policyFields = checkFields(
  fields({
    required: { retries: number({ min: 0, max: 10_000, whole: true }) },
    optional: {
      base: duration,
      factor: number({ min: 1, max: 100, whole: false }),
      cap: duration,
      jitter: oneOf(["none", "partial", "full"]),
    },
  }),
)

export const retryPolicy: Check = (value, path, report) => {
  policyFields(value, path, report)
  if (!isObject(value)) return
  for (const name of ["factor", "cap", "jitter"]) {
    if (!Object.hasOwn(value, name) || Object.hasOwn(value, "base")) continue
    report(
      child(path, name),
      `\`${name}\` means nothing without \`base\``,
      "add `base`: without it a retry is immediate",
    )
  }
  if (lengthOf(value.cap) < lengthOf(value.base)) reportCap(child(path, "cap"), report)
}

function reportCap(path: string, report: Report): void {
  report(path, "`cap` is shorter than `base`", "no retry may wait longer than the cap: raise it")
}

export const checkRetry: Check = (step, path, report) => {
  if (!isObject(step) || !Object.hasOwn(step, "retry") || !Object.hasOwn(step, "retryCount")) return
  report(
    child(path, "retryCount"),
    "`retry` and `retryCount` exclude each other",
    "keep `retry`; its `retries` is the count",
  )
}

/** What is missing or invalid is reported elsewhere and is not less than anything. */
function lengthOf(value: unknown): number {
  return (typeof value === "string" ? parseIsoDuration(value) : undefined) ?? Number.NaN
}
