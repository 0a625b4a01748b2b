// The handler of one type of standalone jobs, as it is written: a name, a function, and what holds for every job of it.
import type { Priority } from "../../model/definitions/definition.ts"
import { isRoutingName, ROUTING_NAME_HINT } from "../../model/jobs/routing-name.ts"
import { badRequest } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { checkKnown } from "./check-authoring.ts"
import { type JobDefaults, OF_A_TYPE, readDefaults } from "./enqueue-options.ts"
import { present } from "./present.ts"
import { type InferInput, type InferOutput, isStandardSchema, type StandardSchemaV1 } from "./standard-schema.ts"
import type { StepCall } from "./step-types.ts"
import type { Stored } from "./stored.ts"

/** The one argument of a handler. `key` is the same at every attempt: hand it on as an idempotency key. */
export interface JobCall<Payload = JsonObject> extends StepCall {
  readonly id: string
  readonly payload: Payload
  readonly priority: Priority
}

export interface JobElement<Payload = unknown, Result = unknown> {
  readonly kind: "job"
  readonly name: string
  readonly run: (job: JobCall<never>) => unknown
  readonly input?: StandardSchemaV1
  /** For jobs that are enqueued by this element, unless they say otherwise. */
  readonly defaults: JobDefaults
  /** Never there at run time: what a caller hands in, and what the handler returns. */
  readonly types?: { readonly payload: Payload; readonly result: Result }
}

export type AnyJob = JobElement
export type JobPayload<Of> = Of extends AnyJob ? NonNullable<Of["types"]>["payload"] : object

/** What is stored of it; undefined where the handler returned nothing. */
export type JobResult<Of> = Of extends AnyJob ? Stored<NonNullable<Of["types"]>["result"]> : JsonObject | undefined

type JobOptions<Schema> = JobDefaults & {
  /** Any Standard Schema validator. A payload that it refuses fails the job at once: trying again would not help. */
  readonly input?: Schema
}

/** `job("send_email", async ({ payload }) => …)`: what it returns is the job's result, what it throws is its failure. */
export function job<Payload extends object = JsonObject, Result = unknown>(
  name: string,
  run: (job: JobCall<Payload>) => Result,
  options?: JobOptions<undefined>,
): JobElement<Payload, Stored<Awaited<Result>>>
export function job<Schema extends StandardSchemaV1, Result = unknown>(
  name: string,
  run: (job: JobCall<InferOutput<Schema>>) => Result,
  options: JobOptions<Schema> & { readonly input: Schema },
): JobElement<InferInput<Schema>, Stored<Awaited<Result>>>
export function job(name: string, run: AnyJob["run"], options: JobOptions<StandardSchemaV1 | undefined> = {}): AnyJob {
  checkKnown(`job ${name}`, options, [...OF_A_TYPE, "input"])
  const { input, ...rest } = options
  if (!isRoutingName(name) || name === "__proto__")
    throw badRequest(`${JSON.stringify(name)} cannot name a type of jobs: ${ROUTING_NAME_HINT}`)
  if (typeof run !== "function") throw badRequest(`job ${name} has no function: write job("name", fn)`)
  if (input !== undefined && !isStandardSchema(input))
    throw badRequest(
      `job ${name}: \`input\` must be a Standard Schema validator, such as one of zod, valibot or arktype`,
    )
  return Object.freeze({ kind: "job", name, run, defaults: readDefaults(rest), ...present({ input }) })
}

export function isJob(value: unknown): value is AnyJob {
  const { kind, run } = Object(value) as { kind?: unknown; run?: unknown }
  return kind === "job" && typeof run === "function"
}
