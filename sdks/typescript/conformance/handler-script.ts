// A handler made from its script: waits, ends the process, fails or returns, as the control protocol says.
import { setTimeout as pause } from "node:timers/promises"
import { type Handler, type HandlerContext, type Job, NonRetryableError, RetryLaterError } from "@millrace/sdk"

export interface HandlerScript {
  readonly waitsFor?: string
  readonly sleepsMs?: number
  readonly exits?: boolean
  readonly fails?: "retryably" | "for-good"
  readonly failsFirst?: number
  readonly message?: string
  readonly retryAfterSeconds?: number
  readonly sets?: Readonly<Record<string, unknown>>
  readonly copies?: Readonly<Record<string, string>>
  readonly copiesFacts?: Readonly<Record<string, keyof Job>>
}

/** `released` resolves when the harness has let go of a name. */
export function handlerOf(script: HandlerScript, released: (name: string) => Promise<void>): Handler {
  return async (job, { signal }) => {
    if (script.waitsFor !== undefined) await Promise.race([released(script.waitsFor), aborted(signal)])
    if (script.sleepsMs !== undefined) await pause(script.sleepsMs)
    if (script.exits) process.exit(1)
    failAsTold(script, job)
    return { ...script.sets, ...picked(job.variables, script.copies), ...picked(job, script.copiesFacts) }
  }
}

function failAsTold(script: HandlerScript, job: Job): void {
  const { fails, failsFirst = 0, message = "failed as told", retryAfterSeconds } = script
  if (fails === "for-good") throw new NonRetryableError(message)
  if (fails !== "retryably" && job.attempt > failsFirst) return
  if (retryAfterSeconds === undefined) throw new Error(message)
  throw new RetryLaterError(message, { afterSeconds: retryAfterSeconds })
}

const picked = (from: object, names: Readonly<Record<string, string>> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(names).map(([to, name]) => [to, (from as Record<string, unknown>)[name]]))

const aborted = (signal: HandlerContext["signal"]): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
