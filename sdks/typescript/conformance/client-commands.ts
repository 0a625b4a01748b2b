// The commands that are calls of the client: each takes the protocol's arguments and gives the JSON of the REST contract.
import type { CompleteRequest, Definition, FailRequest, NewJob, PollRequest, StartInstance, wire } from "@millrace/sdk"
import { EngineClient, type EngineClientOptions, type ExchangeRequest, type HeartbeatRequest } from "@millrace/sdk"

type Calls = Readonly<Record<string, (engine: EngineClient, given: never) => unknown>>
type OfJob<R> = R & { readonly jobId: string }
type OfInstance = { readonly id: string }
type OfStep = { readonly instanceId: string; readonly stepId: string; readonly variables?: object }

const CALLS: Calls = {
  uploadDefinition: (engine, { definition }: { readonly definition: Definition }) =>
    engine.uploadDefinition(definition),
  getDefinition: (engine, { id, version }: OfInstance & { readonly version?: number }) =>
    engine.getDefinition(id, version),
  listDefinitions: (engine, query: wire.ListDefinitionsQuery) => engine.listDefinitions(query),
  startInstance: (engine, { idempotencyKey, ...start }: StartInstance & { readonly idempotencyKey?: string }) =>
    engine.startInstance(start, { idempotencyKey }),
  getInstance: (engine, { id }: OfInstance) => engine.getInstance(id),
  listInstances: (engine, query: wire.ListInstancesQuery) => engine.listInstances(query),
  getHistory: async (engine, { id }: OfInstance) => ({ items: await engine.getHistory(id) }),
  getSteps: (engine, { id }: OfInstance) => engine.getSteps(id),
  searchInstances: async (engine, query: wire.SearchInstancesQuery) => ({ items: await engine.searchInstances(query) }),
  cancelInstance: (engine, { id, ...request }: OfInstance & wire.CancelInstance) => engine.cancelInstance(id, request),
  completeUserTask: (engine, { instanceId, stepId, ...request }: OfStep & { readonly completedBy?: string }) =>
    engine.completeUserTask(instanceId, stepId, request),
  signal: (engine, { instanceId, stepId, variables }: OfStep) => engine.signal(instanceId, stepId, variables),
  retryStep: (engine, { instanceId, stepId, ...request }: OfStep) => engine.retryStep(instanceId, stepId, request),
  poll: async (engine, request: PollRequest) => ({ jobs: await engine.poll(request) }),
  complete: (engine, { jobId, ...request }: OfJob<CompleteRequest>) => engine.complete(jobId, request),
  fail: (engine, { jobId, ...request }: OfJob<FailRequest>) => engine.fail(jobId, request),
  heartbeat: (engine, { jobId, ...request }: OfJob<HeartbeatRequest>) => engine.heartbeat(jobId, request),
  exchange: (engine, request: ExchangeRequest) => engine.exchange(request),
  enqueue: (engine, { type = "", payload = {}, ...options }: Partial<NewJob>) => engine.enqueue(type, payload, options),
}

export class ClientCommands {
  #engine: EngineClient | undefined

  /** The client that is open. */
  get engine(): EngineClient {
    if (!this.#engine) throw new TypeError("no client is open")
    return this.#engine
  }

  find(name: string): ((given: never) => unknown) | undefined {
    if (name === "open") return (given) => this.#open(given)
    if (name === "close") return () => this.close()
    const call = CALLS[name]
    return call && ((given) => call(this.engine, given))
  }

  close(): void {
    this.#engine?.close()
    this.#engine = undefined
  }

  #open(given: EngineClientOptions): void {
    this.close()
    this.#engine = openClient(given)
  }
}

/** This program also drives SDKs from before it was there: they miss the address, which has another name with them. */
function openClient(given: EngineClientOptions): EngineClient {
  try {
    return new EngineClient(given)
  } catch (error) {
    if (error instanceof Error && error.name === "UnknownFieldError") throw error
    const older = { ...given, baseUrl: given.url }
    return new EngineClient(older)
  }
}
