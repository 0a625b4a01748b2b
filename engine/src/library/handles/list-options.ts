// What lists are narrowed by: workflows and jobs by element or by name, and times as people write them.
import { isRoutingName } from "../../model/jobs/routing-name.ts"
import { badRequest } from "../../support/errors.ts"
import { type AnyJob, isJob } from "../authoring/job.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import { checkText, checkWorkflow } from "../running/check-input.ts"

/** A date, or a text such as 2026-11-17T08:00:00Z. */
export type Time = Date | string

export interface Range {
  /** Only what happened at this time or later. */
  readonly since?: Time | undefined
  /** Only what happened earlier. */
  readonly before?: Time | undefined
}

export const OF_A_RANGE = ["since", "before"]

/** The id of its definition. */
export function definitionIdOf(workflow: AnyWorkflow | string): string {
  if (typeof workflow === "string") checkText(workflow, "the definition's id")
  else checkWorkflow(workflow)
  return typeof workflow === "string" ? workflow : workflow.name
}

export function jobTypeOf(type: unknown): string {
  if (isJob(type)) return type.name
  if (isRoutingName(type)) return type
  throw badRequest(`${JSON.stringify(type)} is no type of jobs: give its name, or what job(…) has returned`)
}

export type JobType = string | AnyJob

/** Reads the time as epoch milliseconds. */
export function timeOf(time: Time | undefined, name: string): number | undefined {
  if (time === undefined) return undefined
  const ms = time instanceof Date ? time.getTime() : typeof time === "string" ? Date.parse(time) : Number.NaN
  if (Number.isFinite(ms) && ms >= 0) return ms
  throw badRequest(`${name} must be a Date, or a text such as 2026-11-17T08:00:00Z`)
}

export function checkWord<Word>(
  value: unknown,
  name: string,
  words: readonly Word[],
): asserts value is Word | undefined {
  if (value !== undefined && !words.includes(value as Word))
    throw badRequest(`${name} must be one of ${words.join(", ")}`)
}
