// A plain function that works on the jobs of one type: what it returns is the job's result, what it throws is its failure.
import type { JsonObject } from "../../support/json.ts"
import { checkVariables } from "../running/check-input.ts"
import type { Job } from "../running/running-job.ts"
import type { Attempt } from "../running/worker.ts"
import { handlerFailure } from "./handler-failure.ts"

export type Handler = (job: Job) => Promise<JsonObject | undefined | void> | JsonObject | undefined | void

/** A handler and the type of the jobs that it works on. */
export interface HandledType {
  readonly kind: "handler"
  readonly name: string
  readonly handler: Handler
}

export const handledTypes = (handlers: Readonly<Record<string, Handler>>): readonly HandledType[] =>
  Object.entries(handlers).map(([name, handler]) => ({ kind: "handler", name, handler }))

export const handled =
  (handler: Handler): Attempt =>
  async (job) => {
    try {
      return { verb: "complete", variables: resultOf(await handler(job)) }
    } catch (error) {
      return handlerFailure(error)
    }
  }

/** For a worker, by job type. */
export const handledAll = (handlers: Readonly<Record<string, Handler>>): Record<string, Attempt> =>
  Object.fromEntries(Object.entries(handlers).map(([jobType, handler]) => [jobType, handled(handler)]))

/** A result that cannot be stored would be the same at the next try. */
export const resultOf = (result: unknown): JsonObject | undefined =>
  result === undefined || result === null ? undefined : checkVariables(result, "what a handler returns")
