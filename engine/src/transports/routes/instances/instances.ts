// Routes of instances: start, list, and everything there is to read about one.
import type { wire } from "@millrace/sdk"
import { PRIORITIES } from "../../../model/definitions/definition.ts"
import { explainWaiting } from "../../../operations/instances/explain-waiting.ts"
import { getHistory } from "../../../operations/instances/read-history.ts"
import { getAudit, listInstances, showInstance } from "../../../operations/instances/read-instances.ts"
import { readSteps } from "../../../operations/instances/read-steps.ts"
import { searchInstances } from "../../../operations/instances/search-instances.ts"
import { type StartRequest, startInstance } from "../../../operations/instances/start/start-instance.ts"
import { answerTo, created, json } from "../../calls/answers.ts"
import { decode, readPage, VERSIONS } from "../../calls/decode.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"
import { readNames, readRange } from "./instance-filter.ts"

export const instanceRoutes: readonly Route[] = [
  { method: "POST", path: "/v1/instances", permission: "instances:write", handle: start },
  { method: "GET", path: "/v1/instances", permission: "instances:read", handle: list },
  { method: "GET", path: "/v1/search", permission: "instances:read", handle: search },
  { method: "GET", path: "/v1/instances/{instanceId}", permission: "instances:read", handle: get },
  { method: "GET", path: "/v1/instances/{instanceId}/history", permission: "instances:read", handle: history },
  { method: "GET", path: "/v1/instances/{instanceId}/steps", permission: "instances:read", handle: steps },
  { method: "GET", path: "/v1/instances/{instanceId}/audit", permission: "instances:read", handle: audit },
  { method: "GET", path: "/v1/instances/{instanceId}/waiting", permission: "instances:read", handle: waiting },
]

async function start(call: Call): Promise<Answer> {
  const { instance: outcome, isRepeat } = await startInstance(call.kernel, readStart(call))
  return answerTo({ outcome, isRepeat }, created<wire.Instance>)
}

const readStart = (call: Call): StartRequest =>
  decode(call, ({ body }) => ({
    definitionId: body.orAbsent((from) => from.text("definitionId", 256)),
    definitionVersion: body.orAbsent((from) => from.wholeNumber("definitionVersion", VERSIONS)),
    variables: body.object("variables") ?? {},
    businessKey: body.orAbsent((from) => from.optionalText("businessKey")),
    linkingId: body.optionalText("linkingId"),
    priority: body.optionalOneOf("priority", PRIORITIES),
    door: call.door,
    actor: actorOf(call),
    requestKey: requestKeyOf(call),
    trace: call.trace,
  }))

async function list(call: Call): Promise<Answer> {
  const request = decode(call, ({ query }) => ({
    ...query.orAbsent(readNames),
    ...readRange(query),
    ...readPage(query),
    cursor: query.optionalText("cursor", 512),
  }))
  return json<wire.InstancePage>(200, await listInstances(call.kernel, request))
}

const FOUND_MOST = 50

async function search(call: Call): Promise<Answer> {
  const { prefix, limit = 8 } = decode(call, ({ query }) => ({
    prefix: query.text("prefix", 256),
    limit: query.wholeNumber("limit", { min: 1, max: FOUND_MOST }),
  }))
  return json<wire.Found>(200, { items: await searchInstances(call.kernel, { prefix, limit }) })
}

async function get(call: Call): Promise<Answer> {
  return json<wire.Instance>(200, await showInstance(call.kernel, instanceIdOf(call)))
}

async function history(call: Call): Promise<Answer> {
  return json<wire.History>(200, { items: await getHistory(call.kernel, instanceIdOf(call)) })
}

async function steps(call: Call): Promise<Answer> {
  return json<wire.RunSteps>(200, await readSteps(call.kernel, instanceIdOf(call)))
}

async function audit(call: Call): Promise<Answer> {
  const afterSeq = decode(call, ({ query }) => query.wholeNumber("afterSeq", { min: 0, max: VERSIONS.max }) ?? 0)
  return json<wire.AuditTrail>(200, { items: await getAudit(call.kernel, instanceIdOf(call), afterSeq) })
}

async function waiting(call: Call): Promise<Answer> {
  return json<wire.Waiting>(200, { reasons: await explainWaiting(call.kernel, instanceIdOf(call)) })
}

/** Operations tell an unknown instance from a malformed id by themselves: both are not found. */
export const instanceIdOf = ({ params }: Call): string => params.instanceId ?? ""
