// What a handler is, and the types that tie job types to the variables they take and give.

import type { Logger } from "../calls/logger.ts"
import type { Job } from "../client/job-types.ts"
import type { Variables } from "../generated/wire.ts"

/** What a handler gets beside its job. */
export interface HandlerContext {
  /** Aborts when the lease is lost or about to be: stop, another worker may get the job. */
  readonly signal: AbortSignal
  readonly workerId: string
  readonly logger: Logger
}

// A function without a return statement gives void, not undefined.
type Nothing = void | undefined

/** Where nothing may be returned, leaving out `return` will do. */
type Returned<O> = undefined extends O ? O | Nothing : O

/** Runs one job. It may run more than once for a job: key outside effects by `job.idempotencyKey` or a business key. */
export type Handler<I extends object = Variables, O = Variables | undefined> = (
  job: Job<I>,
  context: HandlerContext,
) => Returned<O> | Promise<Returned<O>>

/** Any handler at all, once its types have done their work. */
export type AnyHandler = (job: Job<never>, context: HandlerContext) => unknown

/** For each job type the variables it reads and the variables it sets; `undefined` when it sets none. */
export type JobTypes<T> = { readonly [K in keyof T]: { readonly input: object; readonly output: object | Nothing } }

/** What job types are when it is not said. */
export type UntypedJobs = {
  readonly [jobType: string]: { readonly input: Variables; readonly output: Variables | undefined }
}

/** Handlers by job type. */
export type Handlers<T extends JobTypes<T>> = {
  readonly [K in keyof T]: Handler<T[K]["input"], T[K]["output"]>
}
