// What may be said about a job when it is enqueued, judged and in the words of the operation.
import type { Priority } from "../../model/definitions/definition.ts"
import { RETRY_PRESETS } from "../../model/jobs/standalone-job.ts"
import type { JobTypeDefaults } from "../../operations/flow/live-settings.ts"
import type { EnqueueRequest, SaidOfJob } from "../../operations/jobs/enqueue/enqueue-job.ts"
import type { CallersTx } from "../../operations/kernel/callers.ts"
import { badRequest } from "../../support/errors.ts"
import { activeTrace } from "../../support/spans.ts"
import { checkPriority, checkText } from "../running/check-input.ts"
import { checkKnown } from "./check-authoring.ts"
import { type Delay, delayMs } from "./delay.ts"
import { type Downstream, downstreamName } from "./downstream.ts"
import { present } from "./present.ts"
import { BACKOFF_FIELDS, type BackoffOption, readBackoff } from "./retries/backoff.ts"

/** How a failed attempt is tried again: a preset, or delay = min(cap, base × factor^(n−1)) with jitter. */
export type JobRetryOption = "jittered" | "minutes" | "immediate" | BackoffOption

/** What may also be said once for all jobs of a type. */
export interface JobDefaults {
  /** normal */
  readonly priority?: Priority
  /** How long one attempt may run: 30 s. */
  readonly timeout?: Delay
  /** 5; with `retry: "minutes"` 3, with "immediate" 0. */
  readonly retries?: number
  /** "jittered": up to 1, 2, 4 … 60 s. */
  readonly retry?: JobRetryOption
  /** The system it calls, whose limits it keeps to. */
  readonly downstream?: Downstream | string
}

export interface JobSettings extends JobDefaults {
  /** One job per key and type, as long as its record is kept: a repeat gives back the job that is there. */
  readonly key?: string
  /** Not before this much time has passed. */
  readonly delay?: Delay
  /** One job per key within a window: another is refused, or takes the place of the one that waits. */
  readonly unique?: { readonly key: string; readonly for: Delay; readonly mode?: "refuse" | "debounce" }
  /** Jobs take turns by this key: a tenant with a thousand does not hold up one with two. */
  readonly fairKey?: string
  /** At most `max` jobs of this key at a time, whatever their type. */
  readonly limit?: { readonly key: string; readonly max: number }
  /** When the queue is above its high watermark: "refuse" throws `backpressure`, "absorb" takes the job all the same. */
  readonly whenFull?: "refuse" | "absorb"
}

export interface EnqueueOptions extends JobSettings {
  /** Your open transaction: the job is there with its commit, and is not after a rollback. */
  readonly tx?: CallersTx
}

export const OF_A_TYPE = ["priority", "timeout", "retries", "retry", "downstream"]
const OF_A_JOB = [...OF_A_TYPE, "key", "delay", "unique", "fairKey", "limit", "whenFull"]
const PRESETS = ["jittered", "minutes", "immediate"]
const MOST_RETRIES = 10_000

export function readDefaults(defaults: JobDefaults): JobDefaults {
  readSettings(defaults)
  return Object.freeze({ ...defaults })
}

/** What holds for all jobs of a type, in the words of the operation. */
export const typeDefaults = (defaults: JobDefaults, defaultRetries: number): JobTypeDefaults =>
  present(readSettings(defaults, defaultRetries))

/** What a caller has said of one job, without what holds for its type. */
export const saidOfJob = (settings: JobSettings, defaultRetries: number): SaidOfJob =>
  readSettings(settings, defaultRetries)

export function toRequest(
  { jobType, payload, actor }: Pick<EnqueueRequest, "jobType" | "payload" | "actor">,
  settings: JobSettings,
  defaultRetries: number,
): EnqueueRequest {
  checkKnown(`a job of type ${jobType}`, settings, OF_A_JOB)
  const { key, fairKey, whenFull = "refuse" } = settings
  if (key !== undefined) checkText(key, "key")
  if (fairKey !== undefined) checkText(fairKey, "fairKey")
  checkWord("whenFull", whenFull, ["refuse", "absorb"])
  const { priority, timeoutMs, retries, retry, downstream } = readSettings(settings, defaultRetries)
  return {
    jobType,
    payload,
    actor,
    door: "library",
    trace: activeTrace(),
    whenFull,
    key,
    fairKey,
    priority,
    timeoutMs,
    retries,
    retry,
    downstream,
    delayMs: delayMs("delay", settings.delay),
    limit: readLimit(settings),
    unique: readUnique(settings),
  }
}

function readSettings({ priority, timeout, retries, retry, downstream }: JobDefaults, defaultRetries = 0) {
  checkPriority(priority)
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0 && retries <= MOST_RETRIES))
    throw badRequest(`retries must be a whole number from 0 to ${MOST_RETRIES}, not ${JSON.stringify(retries)}`)
  const timeoutMs = delayMs("timeout", timeout)
  if (timeoutMs !== undefined && timeoutMs < 1) throw badRequest("timeout must be at least a millisecond")
  return {
    priority,
    timeoutMs,
    retries,
    retry: readRetry(retry, retries ?? defaultRetries),
    downstream: downstreamName(downstream),
  }
}

/** What is left out is as in "jittered". */
function readRetry(retry: JobRetryOption | undefined, retries: number) {
  if (retry === undefined || PRESETS.includes(retry as string)) return retry as undefined | "jittered"
  if (typeof retry !== "object" || retry === null)
    throw badRequest(`retry must be one of ${PRESETS.join(", ")}, or { base, factor, cap, jitter }`)
  checkKnown("retry", retry, BACKOFF_FIELDS)
  return { retries, ...readBackoff("retry", retry, RETRY_PRESETS.jittered) }
}

function readLimit({ limit }: JobSettings) {
  if (limit === undefined) return undefined
  checkKnown("limit", limit, ["key", "max"])
  checkText(limit.key, "limit.key")
  if (!(Number.isInteger(limit.max) && limit.max > 0)) throw badRequest("limit.max must be a whole number from 1")
  return { key: limit.key, max: limit.max }
}

function readUnique({ unique }: JobSettings) {
  if (unique === undefined) return undefined
  checkKnown("unique", unique, ["key", "for", "mode"])
  const { key, mode = "refuse" } = unique
  checkText(key, "unique.key")
  checkWord("unique.mode", mode, ["refuse", "debounce"])
  const forMs = delayMs("unique.for", unique.for)
  if (forMs === undefined) throw badRequest("unique.for is missing: say how long the window is")
  return { key, forMs, mode }
}

function checkWord(name: string, value: unknown, words: readonly string[]): void {
  if (!words.includes(value as string)) throw badRequest(`${name} must be one of ${words.join(", ")}`)
}
