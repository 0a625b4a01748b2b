// The engine in your own process: no port, no second deployment, the same operations.
import { loadConfig } from "./config.ts"
import { openCore } from "./core.ts"
import { type Handler, handledAll } from "./library/authoring/handler.ts"
import { checkHandlers, checkPriority, checkText, checkVariables } from "./library/running/check-input.ts"
import { Worker } from "./library/running/worker.ts"
import { type DefinitionSummary, uploadDefinition } from "./operations/definitions/upload-definition.ts"
import { cancelInstance, completeUserTask, signalWait } from "./operations/instances/change-instance.ts"
import type { InstanceView } from "./operations/instances/instance-view.ts"
import { getHistory, type StepView } from "./operations/instances/read-history.ts"
import { getInstance } from "./operations/instances/read-instances.ts"
import { type StartRequest, startInstance } from "./operations/instances/start/start-instance.ts"
import { type CallersTx, within } from "./operations/kernel/callers.ts"
import { asEngineError } from "./operations/kernel/run-operation.ts"
import { assert } from "./support/assert.ts"
import type { JsonObject } from "./support/json.ts"
import { createLogger } from "./support/log.ts"
import { activeTrace } from "./support/spans.ts"

export interface OpenEngineOptions {
  readonly dsn: string
  readonly schema?: string
  readonly logLevel?: "debug" | "info" | "warn" | "error" | "silent"
  readonly maxConnections?: number
}

export interface WorkOptions {
  readonly handlers: Readonly<Record<string, Handler>>
  readonly workerId?: string
  readonly concurrency?: number
  readonly leaseMs?: number
}

export type OpenEngine = Awaited<ReturnType<typeof openEngine>>

export type InstanceRequest = Omit<StartRequest, "id" | "actor" | "requestKey" | "variables" | "trace"> & {
  readonly variables?: JsonObject
}

/** With `tx` a call is a part of the caller's own transaction: it counts when that commits, and leaves nothing when it does not. */
export interface CallOptions {
  readonly tx?: CallersTx | undefined
}

const LOCAL = "local"

/** The options are all there is: the settings file is the server's. */
const noFile = (): never => {
  throw Object.assign(new Error("no settings file"), { code: "ENOENT" })
}

/** What went wrong, in the words of the catalogue where it has them. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw asEngineError(error)
  }
}

export async function openEngine(options: OpenEngineOptions) {
  checkText(options?.dsn, "dsn")
  const env = {
    WE_POSTGRES_DSN: options.dsn,
    ...(options.schema ? { WE_SCHEMA: options.schema } : {}),
    ...(options.maxConnections ? { DB_MAX_CONNS: String(options.maxConnections) } : {}),
  }
  const core = await openCore(
    loadConfig({ env, readFile: noFile }),
    createLogger({ level: options.logLevel ?? "warn" }),
  )
  const { kernel, processId } = core
  const workers = new Set<Worker>()
  return {
    async uploadDefinition(document: JsonObject): Promise<DefinitionSummary> {
      const uploaded = await told(uploadDefinition(kernel, { document, actor: LOCAL }))
      assert("result" in uploaded, "an upload without a key is never a replay")
      return uploaded.result
    },
    async startInstance(request: InstanceRequest, { tx }: CallOptions = {}): Promise<InstanceView> {
      checkText(request.definitionId, "definitionId")
      checkPriority(request.priority)
      const start = { ...request, variables: checkVariables(request.variables), actor: LOCAL, trace: activeTrace() }
      return (await told(within(kernel, tx, (tx) => startInstance(kernel, start, tx)))).instance
    },
    getInstance: (id: string): Promise<InstanceView> => told(getInstance(kernel, id)),
    getHistory: (id: string): Promise<readonly StepView[]> => told(getHistory(kernel, id)),
    async cancelInstance(instanceId: string, reason?: string, { tx }: CallOptions = {}): Promise<void> {
      const request = { instanceId, reason, actor: LOCAL }
      await told(within(kernel, tx, (tx) => cancelInstance(kernel, request, tx)))
    },
    async signal(
      instanceId: string,
      stepId: string,
      variables: JsonObject = {},
      { tx }: CallOptions = {},
    ): Promise<void> {
      const request = { instanceId, stepId, variables: checkVariables(variables), actor: LOCAL }
      await told(within(kernel, tx, (tx) => signalWait(kernel, request, tx)))
    },
    async completeUserTask(
      instanceId: string,
      stepId: string,
      variables: JsonObject = {},
      completedBy?: string,
      { tx }: CallOptions = {},
    ): Promise<void> {
      const request = { instanceId, stepId, variables: checkVariables(variables), completedBy, actor: LOCAL }
      await told(within(kernel, tx, (tx) => completeUserTask(kernel, request, tx)))
    },
    /** Prometheus text, for a host that has a metrics page of its own. */
    metrics: (): Promise<string> => kernel.metrics.registry.metrics(),
    work({ handlers, ...options }: WorkOptions): { stop(): Promise<void> } {
      checkHandlers(handlers)
      const worker = new Worker(kernel, { workerId: processId, ...options, attempts: handledAll(handlers) }).start()
      workers.add(worker)
      return { stop: () => worker.stop().finally(() => workers.delete(worker)) }
    },
    async stop(): Promise<void> {
      await Promise.all([...workers].map((worker) => worker.stop()))
      await core.stop()
    },
  }
}
