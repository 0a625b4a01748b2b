// Routes that change one instance: cancel, signal, complete a user task, retry a failed step.
import { cancelInstance, completeUserTask, signalWait } from "../../../../operations/instances/change-instance.ts"
import { getInstance } from "../../../../operations/instances/read-instances.ts"
import { retryStep } from "../../../../operations/instances/retry-step.ts"
import { json, noContent, replayed } from "../../plumbing/answers.ts"
import { decode, objectOf } from "../../plumbing/decode.ts"
import { requestKeyOf } from "../../plumbing/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../plumbing/route.ts"
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
]

const MAX_REASON = 2_000

const changeOf = (call: Call) => ({
  instanceId: instanceIdOf(call),
  actor: actorOf(call),
  requestKey: requestKeyOf(call),
})

const stepIdOf = ({ params }: Call): string => params.stepId ?? ""

async function cancel(call: Call): Promise<Answer> {
  const reason = decode(call, ({ body }) => body.optionalText("reason", MAX_REASON))
  const replay = await cancelInstance(call.kernel, { ...changeOf(call), reason })
  const now = () => instanceNow(call)
  return replay ? replayed(replay, now) : now()
}

async function signal(call: Call): Promise<Answer> {
  const variables = objectOf(call.body)
  const replay = await signalWait(call.kernel, { ...changeOf(call), stepId: stepIdOf(call), variables })
  return replay ? replayed(replay) : noContent
}

async function completeTask(call: Call): Promise<Answer> {
  const completion = decode(call, ({ body }) => ({
    completedBy: body.optionalText("completedBy"),
    variables: body.object(["variables", "result"]) ?? {},
  }))
  const replay = await completeUserTask(call.kernel, { ...changeOf(call), stepId: stepIdOf(call), ...completion })
  return replay ? replayed(replay) : noContent
}

async function retry(call: Call): Promise<Answer> {
  const variables = decode(call, ({ body }) => body.object("variables"))
  const replay = await retryStep(call.kernel, { ...changeOf(call), stepId: stepIdOf(call), variables })
  const now = () => instanceNow(call)
  return replay ? replayed(replay, now) : now()
}

const instanceNow = async (call: Call): Promise<Answer> => json(200, await getInstance(call.kernel, instanceIdOf(call)))
