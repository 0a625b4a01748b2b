// Reads a job as it is submitted to the queue: in snake_case, as on all routes of the queue.
import { PRIORITIES } from "../../../model/definitions/definition.ts"
import type { EnqueueRequest } from "../../../operations/jobs/enqueue/enqueue-job.ts"
import type { OperationSettings as Settings } from "../../../operations/kernel/kernel.ts"
import type { Fields } from "../../calls/fields.ts"

type Read<Name extends keyof EnqueueRequest> = EnqueueRequest[Name]

const RETRIES = { min: 0, max: 10_000 }
const LIMIT = { min: 1, max: 1_000_000 }
const FACTOR = { min: 1, max: 100 }

/** The spellings of the library, which callers of REST use by mistake. */
const MISSPELT = [
  ["fairKey", "fair_key"],
  ["jobType", "type"],
  ["whenFull", "nothing: over HTTP a full queue always refuses"],
] as const

/** Without the door, the actor and the request key, which the route adds. */
export type SubmittedJob = Omit<EnqueueRequest, "door" | "actor" | "requestKey">

export function readJob(body: Fields, { jobRetries }: Pick<Settings, "jobRetries">): SubmittedJob {
  if (!body.has("payload")) body.require("payload", "send an object, if need be an empty one")
  for (const [name, instead] of MISSPELT) body.notThis(name, instead)
  const retries = body.wholeNumber("retries", RETRIES)
  return {
    jobType: readType(body),
    payload: body.object("payload") ?? {},
    priority: body.optionalOneOf("priority", PRIORITIES),
    key: body.optionalText("key"),
    delayMs: body.duration("delay"),
    timeoutMs: body.duration("timeout"),
    retries,
    retry: readRetry(body, retries ?? jobRetries),
    fairKey: body.optionalText("fair_key"),
    limit: readLimit(body),
    unique: readUnique(body),
    downstream: body.routingName("downstream"),
    whenFull: "refuse",
  }
}

/** Its own field, or that of the payload. */
function readType(body: Fields): string {
  const payload = body.hasObject("payload") ? body.within("payload", { isOpen: true }) : undefined
  const from = body.has("type") ? body : payload?.has("type") ? payload : undefined
  if (!from) body.require("type", "name it here, or as payload.type")
  return from?.routingName("type") ?? ""
}

function readLimit(body: Fields): Read<"limit"> {
  const limit = body.within("limit")
  if (!limit) return undefined
  if (!limit.has("max")) limit.require("max", "say how many at a time")
  return { key: limit.text("key"), max: limit.wholeNumber("max", LIMIT) ?? 1 }
}

function readUnique(body: Fields): Read<"unique"> {
  const unique = body.within("unique")
  if (!unique) return undefined
  if (!unique.has("for")) unique.require("for", "say how long the window is, such as PT10M")
  const mode = unique.optionalOneOf("mode", ["refuse", "debounce"]) ?? "refuse"
  return { key: unique.text("key"), forMs: unique.duration("for") ?? 0, mode }
}

/** A preset by name, or a policy: what it leaves out is as in `jittered`. */
function readRetry(body: Fields, retries: number): Read<"retry"> {
  if (!body.hasObject("retry")) return body.optionalOneOf("retry", ["jittered", "minutes", "immediate"])
  const retry = body.within("retry")
  if (!retry) return undefined
  return {
    retries,
    baseMs: retry.duration("base") ?? 1_000,
    factor: retry.number("factor", FACTOR) ?? 2,
    capMs: retry.duration("cap") ?? 60_000,
    jitter: retry.optionalOneOf("jitter", ["none", "partial", "full"]) ?? "full",
  }
}
