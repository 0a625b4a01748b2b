// The operations that the gRPC service has: which RPC each is, its request from what was asked, its answer as REST would give it.
import { MillraceError } from "../calls/errors.ts"
import type { Given } from "../calls/operations.ts"
import { refuseFieldsBeyond } from "../calls/unknown-fields.ts"
import type { Definition, Operations } from "../generated/wire.ts"
import type * as proto from "../proto/index.ts"
import { DefinitionMessages } from "./definition-messages.ts"
import { InstanceMessages, jobJson } from "./instance-messages.ts"
import type { Proto } from "./load-proto.ts"
import { present } from "./present.ts"

type Fields = Readonly<Record<string, never>>

export interface Rpc {
  /** The method of the generated client, and the name of the RPC in lower camel case. */
  readonly method: string
  readonly ask: (given: Required<{ [K in keyof Given]: Fields }>) => object
  readonly answer: (response: never, given: Given) => unknown
}

type Rpcs = Partial<Record<keyof Operations, Rpc>>

export const rpcsOf = (messages: Proto): Rpcs => ({
  ...definitionRpcs(messages),
  ...instanceRpcs(messages),
  ...jobRpcs(messages),
  ...healthRpcs(messages),
})

function definitionRpcs(messages: Proto): Rpcs {
  const definitions = new DefinitionMessages(messages)
  const get: Omit<Rpc, "ask"> = {
    method: "getDefinition",
    answer: ({ definition }: proto.GetDefinitionResponse) => definition && definitions.toJson(definition),
  }
  return {
    uploadDefinition: {
      method: "uploadDefinition",
      ask: ({ body }) => {
        refuseFieldsBeyond("Definition", body, "the definition")
        return { definition: definitions.toMessage(body as unknown as Definition) }
      },
      answer: ({ warnings, ...summary }: proto.UploadDefinitionResponse, { body }) => ({
        ...summary,
        ...described(body as Definition),
        ...(warnings.length > 0 ? { warnings } : {}),
      }),
    },
    getDefinition: { ...get, ask: ({ path }) => ({ id: path.definitionId }) },
    getDefinitionVersion: { ...get, ask: ({ path }) => ({ id: path.definitionId, version: Number(path.version) }) },
    listDefinitions: {
      method: "listDefinitions",
      ask: ({ query }) => query,
      answer: ({ definitions: items, total }: proto.ListDefinitionsResponse, { query = {} }) => ({
        page: 0,
        pageSize: 20,
        ...query,
        items: items.map(({ id, version, name, description, uploadedAt }) =>
          present({ id, version, name, description, uploadedAt }),
        ),
        total,
      }),
    },
  }
}

const described = ({ name, description }: Definition) => (description === undefined ? { name } : { name, description })

function instanceRpcs(messages: Proto): Rpcs {
  const instances = new InstanceMessages(messages)
  const answer = instanceAnswer(instances)
  return {
    startInstance: { method: "startInstance", ask: ({ body }) => body, answer },
    getInstance: { method: "getInstance", ask: ({ path }) => ({ id: path.instanceId }), answer },
    getInstanceHistory: {
      method: "getInstanceHistory",
      ask: ({ path }) => ({ id: path.instanceId }),
      answer: ({ executions }: proto.GetInstanceHistoryResponse) => ({
        items: executions.map((execution) => instances.execution(execution)),
      }),
    },
    cancelInstance: { method: "cancelInstance", ask: ({ path, body }) => ({ ...body, id: path.instanceId }), answer },
    listInstances: {
      method: "listInstances",
      ask: ({ query }) => ({ ...query, status: instances.statuses.number(query.status) }),
      answer: ({ instances: items, nextCursor, total, totalIsExact }: proto.ListInstancesResponse) => ({
        items: items.map((instance) => instances.instance(instance)),
        total,
        totalIsExact,
        ...present({ nextCursor }),
      }),
    },
    ...stepRpcs(instances),
  }
}

const instanceAnswer =
  (instances: InstanceMessages) =>
  ({ instance }: { readonly instance: proto.WorkflowInstance | undefined }) =>
    instances.instance(instance)

/** What moves a step on. */
function stepRpcs(instances: InstanceMessages): Rpcs {
  const nothing = () => undefined
  return {
    completeUserTask: {
      method: "completeUserTask",
      ask: ({ path, body: { variables, result, ...body } }) => ({
        ...body,
        result: variables ?? result,
        instanceId: path.instanceId,
        userTaskStepId: path.stepId,
      }),
      answer: nothing,
    },
    signalInstance: {
      method: "signalWait",
      ask: ({ path, body }) => ({ instanceId: path.instanceId, waitStepId: path.stepId, variables: body }),
      answer: nothing,
    },
    retryStep: {
      method: "retryStep",
      ask: ({ path, body }) => ({ ...body, ...path }),
      answer: instanceAnswer(instances),
    },
  }
}

function jobRpcs({ ReportOutcome }: Proto): Rpcs {
  const outcomes = new Map<number, string>([
    [ReportOutcome.REPORT_OUTCOME_ACCEPTED, "accepted"],
    [ReportOutcome.REPORT_OUTCOME_STALE, "stale"],
    [ReportOutcome.REPORT_OUTCOME_UNKNOWN, "unknown"],
  ])
  const nothing = () => undefined
  return {
    pollJobs: {
      method: "pollJobs",
      ask: ({ body }) => body,
      answer: ({ jobs }: proto.PollJobsResponse) => ({ jobs: jobs.map(jobJson) }),
    },
    completeJob: {
      method: "completeJob",
      ask: ({ path, body: { variables, ...body } }) => ({ ...body, ...path, variablesToSet: variables }),
      answer: nothing,
    },
    failJob: { method: "failJob", ask: ({ path, body }) => ({ ...body, ...path }), answer: nothing },
    heartbeatJob: {
      method: "heartbeat",
      ask: ({ path, body }) => ({ ...body, ...path }),
      answer: ({ lockExpiresAt, variables }: proto.HeartbeatResponse) => ({
        lockExpiresAt,
        ...(variables === undefined ? {} : { variables }),
      }),
    },
    exchangeJobs: {
      method: "exchangeJobs",
      ask: ({ body }) => body,
      answer: ({ results, jobs }: proto.ExchangeJobsResponse) => ({
        results: results.map(({ jobId, outcome }) => ({ jobId, outcome: outcomes.get(outcome) ?? "unknown" })),
        jobs: jobs.map(jobJson),
      }),
    },
  }
}

/** The health service of gRPC tells what `/readyz` does. */
const healthRpcs = ({ HealthCheckResponse_ServingStatus: Serving }: Proto): Rpcs => ({
  getReadiness: {
    method: "check",
    ask: () => ({ service: "workflow.v1.WorkflowEngine" }),
    answer: ({ status }: proto.HealthCheckResponse) => {
      if (status === Serving.SERVING) return { status: "ready" }
      throw new MillraceError({ code: "unavailable", status: 503, message: "the engine cannot take work now" })
    },
  },
})
