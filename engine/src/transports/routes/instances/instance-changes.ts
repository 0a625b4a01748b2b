// Routes that change one instance, or take its place: cancel, signal, complete a user task, retry a failed step, restart.
import type { wire } from "@millrace/sdk"
import { cancelInstance, completeUserTask, signalWait } from "../../../operations/instances/change-instance.ts"
import { restartInstance } from "../../../operations/instances/restart-instance.ts"
import { retryInstance } from "../../../operations/instances/retry-instance.ts"
import { answerTo, created, nothing, ok } from "../../calls/answers.ts"
import { decode, objectOf, VERSIONS } from "../../calls/decode.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"
import { instanceIdOf } from "./instances.ts"

export const instanceChangeRoutes: readonly Route[] = [
  { method: "POST", path: "/v1/instances/{instanceId}/cancel", permission: "instances:write", handle: cancel },
  {
    method: "POST",
    path: "/v1/instances/{instanceId}/signals/{stepId}",
    permission: "instances:write",
    handle: signal,
  },
  {
    method: "POST",
    path: "/v1/instances/{instanceId}/user-tasks/{stepId}/complete",
    permission: "tasks:write",
    handle: completeTask,
  },
  {
    method: "POST",
    path: "/v1/instances/{instanceId}/steps/{stepId}/retry",
    permission: "instances:write",
    handle: retry,
  },
  { method: "POST", path: "/v1/instances/{instanceId}/retry", permission: "instances:write", handle: retry },
  { method: "POST", path: "/v1/instances/{instanceId}/restart", permission: "instances:write", handle: restart },
]

const MAX_REASON = 2_000

const changeOf = (call: Call) => ({
  instanceId: instanceIdOf(call),
  actor: actorOf(call),
  requestKey: requestKeyOf(call),
})

const stepIdOf = ({ params }: Call): string => params.stepId ?? ""

async function cancel(call: Call): Promise<Answer> {
  const reason = decode(call, ({ body }) => body.orAbsent((from) => from.optionalProse("reason", MAX_REASON)))
  return answerTo(await cancelInstance(call.kernel, { ...changeOf(call), reason }), ok<wire.Instance>)
}

async function signal(call: Call): Promise<Answer> {
  const variables = objectOf(call.body)
  return answerTo(await signalWait(call.kernel, { ...changeOf(call), stepId: stepIdOf(call), variables }), nothing)
}

async function completeTask(call: Call): Promise<Answer> {
  const completion = decode(call, ({ body }) => ({
    completedBy: body.orAbsent((from) => from.optionalText("completedBy")),
    variables: body.object(["variables", "result"]) ?? {},
  }))
  const request = { ...changeOf(call), stepId: stepIdOf(call), ...completion }
  return answerTo(await completeUserTask(call.kernel, request), nothing)
}

/** At the step in the path, or else at the one that failed. */
async function retry(call: Call): Promise<Answer> {
  const variables = decode(call, ({ body }) => body.object("variables"))
  const request = { ...changeOf(call), stepId: call.params.stepId, variables }
  return answerTo(await retryInstance(call.kernel, request), ok<wire.Instance>)
}

async function restart(call: Call): Promise<Answer> {
  const asked = decode(call, ({ body }) => ({
    fromStep: body.orAbsent((from) => from.optionalText("fromStep")),
    variables: body.object("variables"),
    definitionVersion: body.orAbsent((from) => from.wholeNumber("definitionVersion", VERSIONS)),
  }))
  const request = { ...changeOf(call), ...asked, trace: call.trace }
  const { instance: outcome, isRepeat } = await restartInstance(call.kernel, request)
  return answerTo({ outcome, isRepeat }, created<wire.Instance>)
}
