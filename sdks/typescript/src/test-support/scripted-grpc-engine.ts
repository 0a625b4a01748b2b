// A real gRPC server that stands in for an engine: it records every request, and answers as the test scripts it.
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js"
import * as proto from "../proto/index.ts"
import {
  BadRequest,
  ErrorInfo,
  type HealthCheckResponse,
  HealthService,
  RetryInfo,
  HealthCheckResponse_ServingStatus as Serving,
  Status,
  type StreamJobsRequest,
  type StreamJobsResponse,
  WorkflowEngineService,
} from "../proto/index.ts"

export interface ReceivedRpc {
  readonly method: string
  readonly request: Record<string, unknown>
  readonly metadata: Metadata
}

export interface Refused {
  /** The number of the gRPC status. */
  readonly status: number
  readonly message: string
  /** A code of the catalogue of errors. */
  readonly code?: string
  readonly retryAfter?: number
  readonly violations?: Parameters<typeof BadRequest.fromPartial>[0]["fieldViolations"]
  readonly metadata?: Readonly<Record<string, string>>
}

type Script = (received: ReceivedRpc) => object | Refused | "hang"
export type JobStreamCall = ServerDuplexStream<StreamJobsRequest, StreamJobsResponse>

const isRefusal = (reply: object): reply is Refused => "status" in reply && "message" in reply

export class ScriptedGrpcEngine {
  readonly received: ReceivedRpc[] = []
  /** Sent behind every answer. */
  trailers: Readonly<Record<string, string>> = { "millrace-version": "0.0.9" }
  /** Takes streams of jobs. */
  onStream: (call: JobStreamCall) => void = () => {}
  /** What its health service tells. */
  serving = true
  readonly #server = new Server()
  readonly #scripts = new Map<string, Script>()
  #port = 0

  private constructor(without: readonly string[]) {
    const names = Object.keys(WorkflowEngineService).filter((name) => !without.includes(name))
    const known = Object.fromEntries(Object.entries(WorkflowEngineService).filter(([name]) => names.includes(name)))
    const handlers = names.map((name) => [name, name === "streamJobs" ? this.#stream : this.#unary(name)])
    this.#server.addService(known as never, Object.fromEntries(handlers) as UntypedServiceImplementation)
    if (!without.includes("check")) this.#server.addService(HealthService, { check: this.#health, watch: () => {} })
  }

  /** `without`: RPCs that it does not have, as an older engine. */
  static async start({ port = 0, without = [] as readonly string[] } = {}): Promise<ScriptedGrpcEngine> {
    const engine = new ScriptedGrpcEngine(without)
    engine.#port = await new Promise((resolve, reject) =>
      engine.#server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    )
    return engine
  }

  get url(): string {
    return `grpc://127.0.0.1:${this.#port}`
  }

  on(method: string, script: Script): this {
    this.#scripts.set(method, script)
    return this
  }

  stop(): void {
    this.#server.forceShutdown()
  }

  readonly #health = (_: unknown, done: sendUnaryData<HealthCheckResponse>) =>
    done(null, { status: this.serving ? Serving.SERVING : Serving.NOT_SERVING })

  readonly #stream = (call: JobStreamCall) => this.onStream(call)

  #unary(method: string) {
    return (call: ServerUnaryCall<Record<string, unknown>, object>, done: sendUnaryData<object>) => {
      const received = { method, request: call.request, metadata: call.metadata }
      this.received.push(received)
      const reply = this.#scripts.get(method)?.(received) ?? {}
      if (reply === "hang") return
      if (isRefusal(reply)) done(statusOf(reply))
      else done(null, filled(method, reply), metadataOf(this.trailers))
    }
  }
}

/** What the reply leaves out is absent. */
function filled(method: string, reply: object): object {
  const type = `${method[0]?.toUpperCase()}${method.slice(1)}Response`
  return (proto as unknown as Record<string, { fromPartial(reply: object): object }>)[type]!.fromPartial(reply)
}

function metadataOf(fields: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value)
  return metadata
}

function statusOf({ status, message, code, retryAfter, violations, metadata = {} }: Refused) {
  const trailers = metadataOf(metadata)
  const details = [
    ...(code === undefined ? [] : [packed("ErrorInfo", ErrorInfo.encode(ErrorInfo.fromPartial({ reason: code })))]),
    ...(retryAfter === undefined
      ? []
      : [packed("RetryInfo", RetryInfo.encode({ retryDelay: { seconds: retryAfter, nanos: 0 } }))]),
    ...(violations
      ? [packed("BadRequest", BadRequest.encode(BadRequest.fromPartial({ fieldViolations: violations })))]
      : []),
  ]
  if (details.length > 0)
    trailers.set("grpc-status-details-bin", Buffer.from(Status.encode({ code: status, message, details }).finish()))
  return { code: status, details: message, metadata: trailers }
}

const packed = (name: string, message: { finish(): Uint8Array }) => ({
  typeUrl: `type.googleapis.com/google.rpc.${name}`,
  value: Buffer.from(message.finish()),
})
