// Routes of job types and of workers.

import type { wire } from "@millrace/sdk"
import { isRoutingName, ROUTING_NAME_HINT } from "../../../model/jobs/routing-name.ts"
import { ISO_DURATION_HINT, parseIsoDuration } from "../../../model/kernel/durations.ts"
import { setJobType } from "../../../operations/flow/change-job-types.ts"
import { readJobTypes, readWorkers } from "../../../operations/flow/read-queues.ts"
import { badRequest } from "../../../support/errors.ts"
import { answerTo, json, ok } from "../../calls/answers.ts"
import { decode } from "../../calls/decode.ts"
import { operatorOf } from "../../calls/operator.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const jobTypeRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/job-types", permission: "jobs:read", quiet: true, handle: list },
  { method: "PUT", path: "/v1/job-types/{name}", permission: "queues:write", handle: put },
  { method: "GET", path: "/v1/workers", permission: "jobs:read", quiet: true, handle: workers },
]

const WEEK_MS = 7 * 86_400_000

async function list({ kernel }: Call): Promise<Answer> {
  return json<wire.JobTypeList>(200, { items: await readJobTypes(kernel) })
}

async function put(call: Call): Promise<Answer> {
  const { name = "" } = call.params
  if (!isRoutingName(name)) throw badRequest(`a job type cannot be called so; ${ROUTING_NAME_HINT}`)
  const { timeout, largePayload } = decode(call, ({ body }) => ({
    timeout: body.optionalText("timeout", 64),
    largePayload: body.optionalOneOf("largePayload", ["fail", "reference"]) ?? null,
  }))
  const timeoutMs = timeout === undefined ? null : readTimeout(timeout)
  const settings = { name, timeoutMs, largePayload }
  return answerTo(await setJobType(call.kernel, operatorOf(call), settings), ok<wire.JobType>)
}

function readTimeout(timeout: string): number {
  const ms = parseIsoDuration(timeout)
  if (ms !== undefined && ms <= WEEK_MS) return ms
  const violation = { path: "$.timeout", message: "must be a duration of at most a week", hint: ISO_DURATION_HINT }
  throw badRequest(`${violation.path} ${violation.message}`, [violation])
}

async function workers({ kernel }: Call): Promise<Answer> {
  return json<wire.WorkerList>(200, await readWorkers(kernel))
}
