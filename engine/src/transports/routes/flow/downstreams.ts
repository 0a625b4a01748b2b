// Routes of downstreams: what each can take, how it stands, and another limit at run time.
import type { wire } from "@millrace/sdk"
import { isRoutingName, ROUTING_NAME_HINT } from "../../../model/jobs/routing-name.ts"
import {
  deleteDownstream,
  getDownstream,
  listDownstreams,
  setDownstream,
} from "../../../operations/flow/change-downstreams.ts"
import { badRequest } from "../../../support/errors.ts"
import { answerTo, json, nothing, ok } from "../../calls/answers.ts"
import { decode } from "../../calls/decode.ts"
import { operatorOf } from "../../calls/operator.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const downstreamRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/downstreams", permission: "jobs:read", handle: list },
  { method: "GET", path: "/v1/downstreams/{name}", permission: "jobs:read", handle: get },
  { method: "PUT", path: "/v1/downstreams/{name}", permission: "queues:write", handle: put },
  { method: "DELETE", path: "/v1/downstreams/{name}", permission: "queues:write", handle: remove },
]

const PER_SECOND = { min: 0.001, max: 1_000_000 }
const CONCURRENCY = { min: 1, max: 1_000_000 }

async function list({ kernel }: Call): Promise<Answer> {
  return json<wire.DownstreamList>(200, { items: await listDownstreams(kernel) })
}

const nameOf = ({ params }: Call): string => params.name ?? ""

/** For what changes something: no downstream has another name. */
function namedOf(call: Call): string {
  const name = nameOf(call)
  if (isRoutingName(name)) return name
  throw badRequest(`a downstream cannot be called so; ${ROUTING_NAME_HINT}`)
}

async function get(call: Call): Promise<Answer> {
  return json<wire.Downstream>(200, await getDownstream(call.kernel, nameOf(call)))
}

async function put(call: Call): Promise<Answer> {
  const name = namedOf(call)
  const limits = decode(call, ({ body }) => ({
    perSecond: body.number("perSecond", PER_SECOND) ?? null,
    concurrency: body.wholeNumber("concurrency", CONCURRENCY) ?? null,
    adaptive: body.optionalFlag("adaptive") ?? false,
  }))
  return answerTo(await setDownstream(call.kernel, operatorOf(call), { name, ...limits }), ok<wire.Downstream>)
}

async function remove(call: Call): Promise<Answer> {
  return answerTo(await deleteDownstream(call.kernel, operatorOf(call), namedOf(call)), nothing)
}
