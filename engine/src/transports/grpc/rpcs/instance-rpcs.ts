// RPCs of instances: start, read, change.
import type { wire } from "@millrace/sdk"
import {
  CancelInstanceResponse,
  CompleteUserTaskResponse,
  GetInstanceHistoryResponse,
  GetInstanceResponse,
  ListInstancesResponse,
  RetryStepResponse,
  SignalWaitResponse,
  StartInstanceResponse,
} from "@millrace/sdk/proto"
import { writeCursor } from "../../../operations/kernel/cursor.ts"
import type { JsonObject } from "../../../support/json.ts"
import { countFitting } from "../../calls/answer-size.ts"
import { instanceChangeRoutes } from "../../routes/instances/instance-changes.ts"
import { instanceRoutes } from "../../routes/instances/instances.ts"
import { instanceStatuses } from "../messages/enums.ts"
import { executionMessage, instanceMessage } from "../messages/instances.ts"
import { given, type Rpcs, routeNamed } from "../rpc.ts"
import { structBytes } from "../struct-bytes.ts"

const start = routeNamed(instanceRoutes, "POST", "/v1/instances")
const list = routeNamed(instanceRoutes, "GET", "/v1/instances")
const get = routeNamed(instanceRoutes, "GET", "/v1/instances/{instanceId}")
const history = routeNamed(instanceRoutes, "GET", "/v1/instances/{instanceId}/history")
const cancel = routeNamed(instanceChangeRoutes, "POST", "/v1/instances/{instanceId}/cancel")
const signal = routeNamed(instanceChangeRoutes, "POST", "/v1/instances/{instanceId}/signals/{stepId}")
const complete = routeNamed(instanceChangeRoutes, "POST", "/v1/instances/{instanceId}/user-tasks/{stepId}/complete")
const retryStep = routeNamed(instanceChangeRoutes, "POST", "/v1/instances/{instanceId}/steps/{stepId}/retry")
const retry = routeNamed(instanceChangeRoutes, "POST", "/v1/instances/{instanceId}/retry")

type Reads = "getInstance" | "getInstanceHistory" | "listInstances"
type Changes = "startInstance" | "cancelInstance" | "completeUserTask" | "signalWait" | "retryStep"

/** A page that would be too long for its caller ends earlier, with a cursor to go on by. */
function shortened(page: wire.InstancePage): wire.InstancePage {
  const items = page.items.slice(0, countFitting(page.items.map(textOf), structBytes))
  const last = items.at(-1)
  return last && items.length < page.items.length ? { ...page, items, nextCursor: writeCursor(last.id) } : page
}

/** A history has no pages: where it is too long, its later part comes without what the steps put out. */
function withinLimit(items: wire.History["items"]): wire.History["items"] {
  const count = countFitting(items.map(textOf), structBytes)
  return items.map(({ output, ...item }, at) => (at < count && output !== undefined ? { ...item, output } : item))
}

const textOf = (item: object): string => JSON.stringify(item)

const json = (fields: object): JsonObject => given(fields) as JsonObject

export const instanceRpcs: Rpcs<Reads | Changes> = {
  startInstance: {
    route: start,
    ask: ({ idempotencyKey, ...fields }) => ({
      body: json(fields),
      idempotencyKey: idempotencyKey || undefined,
    }),
    say: (said: wire.Instance, about) =>
      StartInstanceResponse.fromPartial({ instance: instanceMessage(said, about), replayed: about.replayed }),
  },
  getInstance: {
    route: get,
    ask: ({ id }) => ({ params: { instanceId: id } }),
    say: (said: wire.Instance, about) => GetInstanceResponse.fromPartial({ instance: instanceMessage(said, about) }),
  },
  getInstanceHistory: {
    route: history,
    ask: ({ id }) => ({ params: { instanceId: id } }),
    say: ({ items }: wire.History) =>
      GetInstanceHistoryResponse.fromPartial({ executions: withinLimit(items).map(executionMessage) }),
  },
  listInstances: {
    route: list,
    ask: ({ status, ...filter }) => ({
      query: given({ ...filter, status: instanceStatuses.wordOf(status) }),
    }),
    say: (said: wire.InstancePage, about) => {
      const { items, ...page } = shortened(said)
      return ListInstancesResponse.fromPartial({
        ...page,
        instances: items.map((each) => instanceMessage(each, about)),
      })
    },
  },
  cancelInstance: {
    route: cancel,
    ask: ({ id, reason }) => ({ params: { instanceId: id }, body: json({ reason }) }),
    say: (said: wire.Instance, about) => CancelInstanceResponse.fromPartial({ instance: instanceMessage(said, about) }),
  },
  completeUserTask: {
    route: complete,
    ask: ({ instanceId, userTaskStepId, completedBy, result }) => ({
      params: { instanceId, stepId: userTaskStepId },
      body: json({ completedBy, result }),
    }),
    say: () => CompleteUserTaskResponse.create(),
  },
  signalWait: {
    route: signal,
    ask: ({ instanceId, waitStepId, variables }) => ({
      params: { instanceId, stepId: waitStepId },
      body: variables ?? {},
    }),
    say: () => SignalWaitResponse.create(),
  },
  retryStep: {
    route: retryStep,
    ask: ({ instanceId, stepId, variables }) => ({
      // Without a step it is the one that failed.
      ...(stepId === "" ? { route: retry, params: { instanceId } } : { params: { instanceId, stepId } }),
      body: json({ variables }),
    }),
    say: (said: wire.Instance, about) => RetryStepResponse.fromPartial({ instance: instanceMessage(said, about) }),
  },
}
