// The engine in your own process: no port, no second deployment, the same operations.
import { loadConfig } from "./config.ts"
import { openCore } from "./core.ts"
import { type Handler, Worker } from "./library/worker.ts"
import { cancelInstance, completeUserTask, signalWait } from "./operations/change-instance.ts"
import type { InstanceView } from "./operations/instance-view.ts"
import { getHistory, getInstance, type StepView } from "./operations/read-instances.ts"
import { type StartRequest, startInstance } from "./operations/start-instance.ts"
import { type DefinitionSummary, uploadDefinition } from "./operations/upload-definition.ts"
import { assert } from "./support/assert.ts"
import type { JsonObject } from "./support/json.ts"
import { createLogger } from "./support/log.ts"

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

const LOCAL = "local"

export async function openEngine(options: OpenEngineOptions) {
  const env = {
    WE_POSTGRES_DSN: options.dsn,
    ...(options.schema ? { WE_SCHEMA: options.schema } : {}),
    ...(options.maxConnections ? { DB_MAX_CONNS: String(options.maxConnections) } : {}),
  }
  const core = await openCore(loadConfig({ env }), createLogger({ level: options.logLevel ?? "warn" }))
  const { ctx, processId } = core
  const workers = new Set<Worker>()
  return {
    async uploadDefinition(document: JsonObject): Promise<DefinitionSummary> {
      const uploaded = await uploadDefinition(ctx, { document, actor: LOCAL })
      assert("result" in uploaded, "an upload without a key is never a replay")
      return uploaded.result
    },
    async startInstance(request: Omit<StartRequest, "actor" | "requestKey">): Promise<InstanceView> {
      return (await startInstance(ctx, { ...request, actor: LOCAL })).instance
    },
    getInstance: (id: string): Promise<InstanceView> => getInstance(ctx, id),
    getHistory: (id: string): Promise<readonly StepView[]> => getHistory(ctx, id),
    async cancelInstance(instanceId: string, reason?: string): Promise<void> {
      await cancelInstance(ctx, { instanceId, reason, actor: LOCAL })
    },
    async signal(instanceId: string, stepId: string, variables: JsonObject = {}): Promise<void> {
      await signalWait(ctx, { instanceId, stepId, variables, actor: LOCAL })
    },
    async completeUserTask(
      instanceId: string,
      stepId: string,
      variables: JsonObject = {},
      completedBy?: string,
    ): Promise<void> {
      await completeUserTask(ctx, { instanceId, stepId, variables, completedBy, actor: LOCAL })
    },
    /** Prometheus text, for a host that has a metrics page of its own. */
    metrics: (): Promise<string> => ctx.metrics.registry.metrics(),
    work(work: WorkOptions): { stop(): Promise<void> } {
      const worker = new Worker(ctx, { workerId: processId, ...work }).start()
      workers.add(worker)
      return { stop: () => worker.stop().finally(() => workers.delete(worker)) }
    },
    async stop(): Promise<void> {
      await Promise.all([...workers].map((worker) => worker.stop()))
      await core.stop()
    },
  }
}
