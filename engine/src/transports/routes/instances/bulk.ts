// Routes of bulk operations: one action on many instances, and how far it is.
import type { wire } from "@millrace/sdk"
import { createBulk, getBulk } from "../../../operations/instances/bulk-instances.ts"
import { badRequest, notFound } from "../../../support/errors.ts"
import { isUlid } from "../../../support/ids.ts"
import { accepted, answerTo, json } from "../../calls/answers.ts"
import { decode } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"
import { readNames, readRange } from "./instance-filter.ts"

export const bulkRoutes: readonly Route[] = [
  { method: "POST", path: "/v1/instances/bulk", permission: "instances:write", handle: start },
  // Only counts, for every caller of the engine that has the id: a caller that may begin one may follow it.
  { method: "GET", path: "/v1/bulk/{bulkId}", permission: "any-scope", handle: get },
]

async function start(call: Call): Promise<Answer> {
  const { filter, ...request } = decode(call, ({ body }) => readBulk(body))
  if (Object.values(filter).every((value) => value === undefined)) throw tooWide()
  const by = { actor: actorOf(call), requestKey: requestKeyOf(call) }
  return answerTo(await createBulk(call.kernel, { ...request, filter, ...by }), accepted<wire.Bulk>)
}

function readBulk(body: Fields) {
  const within = body.within("filter")
  return {
    action: body.oneOf("action", ["cancel", "retry"]),
    filter: within ? { ...readNames(within), ...readRange(within) } : {},
    dryRun: body.optionalFlag("dryRun") ?? false,
    reason: body.orAbsent((from) => from.optionalProse("reason", 2_000)),
  }
}

/** At least one filter is needed, so that a mistake does not cancel everything. */
function tooWide() {
  const violation = {
    path: "$.filter",
    message: "must name at least one filter",
    hint: "such as definitionId or status",
  }
  return badRequest(`${violation.path} ${violation.message}`, [violation])
}

async function get({ kernel, params }: Call): Promise<Answer> {
  const id = params.bulkId ?? ""
  if (!isUlid(id)) throw notFound("there is no such bulk operation")
  return json<wire.Bulk>(200, await getBulk(kernel, id))
}
