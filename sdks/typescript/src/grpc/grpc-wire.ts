// gRPC at one address: an operation as an RPC of the service, with the errors and the answers that REST has.
import type { ClientUnaryCall, Metadata, ServiceError } from "@grpc/grpc-js"
import { MillraceError } from "../calls/errors.ts"
import type { Logger } from "../calls/logger.ts"
import { adviseOnRefusal } from "../calls/refusal-advice.ts"
import { warningsOf } from "../calls/warnings.ts"
import type { Attempt, Wire, WireRequest } from "../calls/wire.ts"
import type { JobStream, JobStreamEvents, JobStreamRequest } from "../client/job-types.ts"
import type { Operations } from "../generated/wire.ts"
import { type Channel, openChannel } from "./channel.ts"
import { GrpcJobStream } from "./job-stream.ts"
import { readGrpcError } from "./read-grpc-error.ts"
import type { Rpc } from "./rpcs.ts"

export interface GrpcWireOptions {
  readonly url: string
  readonly apiKey: string | undefined
  readonly logger: Logger
}

export class GrpcWire implements Wire {
  readonly url: string
  readonly #options: GrpcWireOptions
  #channel: Promise<Channel> | undefined
  /** As the last answer told it; an RPC that the engine does not have is refused without. */
  #serverVersion: string | undefined
  #closed = false

  constructor(options: GrpcWireOptions) {
    this.url = options.url
    this.#options = options
  }

  async send(request: WireRequest, attempt: Attempt): Promise<unknown> {
    attempt.signal?.throwIfAborted()
    const channel = await this.channel()
    const rpc = rpcOf(channel, request.operation)
    const { path = {}, query = {}, body = {} } = request.asked
    const message = rpc.ask({ path, query, body } as never)
    try {
      const response = await this.#call(channel, { rpc, message, metadata: request.metadata, attempt })
      return rpc.answer(response as never, request.asked)
    } catch (error) {
      attempt.signal?.throwIfAborted()
      throw this.#explain(error, { channel, method: rpc.method, timeoutMs: attempt.timeoutMs })
    }
  }

  async openStream(
    request: JobStreamRequest & { readonly workerId: string },
    events: JobStreamEvents,
  ): Promise<JobStream> {
    const channel = await this.channel()
    const failed = { channel, method: "streamJobs", timeoutMs: 0 }
    const ended = (error?: unknown) => events.ended(error && this.#explain(error, failed))
    const call = channel.client.streamJobs(this.metadataFor(channel, {}))
    return new GrpcJobStream(call, request, { ...events, ended })
  }

  /** Opened by the first call. */
  channel(): Promise<Channel> {
    if (this.#closed) throw new TypeError("the client is closed")
    this.#channel ??= openChannel(this.url)
    return this.#channel
  }

  close(): void {
    this.#closed = true
    this.#channel?.then(
      ({ client }) => client.close(),
      () => {},
    )
  }

  metadataFor({ grpc }: Channel, fields: Readonly<Record<string, string>>): Metadata {
    const metadata = new grpc.Metadata()
    const { apiKey } = this.#options
    if (apiKey !== undefined) metadata.set("authorization", `Bearer ${apiKey}`)
    for (const [name, value] of Object.entries(fields)) metadata.set(name, value)
    return metadata
  }

  #call(channel: Channel, { rpc, message, metadata, attempt }: Asking): Promise<object> {
    return new Promise((resolve, reject) => {
      const send = channel.method(rpc.method)
      const deadline = Date.now() + attempt.timeoutMs
      const done = (error: ServiceError | null, response: object = {}) => (error ? reject(error) : resolve(response))
      const call = send(message, this.metadataFor(channel, metadata), { deadline }, done)
      this.#listen(call, rpc.method)
      const cancel = () => call.cancel()
      attempt.signal?.addEventListener("abort", cancel, { once: true })
      call.on("status", () => attempt.signal?.removeEventListener("abort", cancel))
    })
  }

  #listen(call: ClientUnaryCall, method: string): void {
    call.on("status", ({ metadata }) => {
      this.#serverVersion = versionIn(metadata) ?? this.#serverVersion
      const warnings = metadata.get("warning").flatMap((text) => warningsOf(String(text)))
      for (const warning of warnings) this.#options.logger.warn({ warning, call: method }, "the engine warns")
    })
  }

  #explain(error: unknown, { channel, method, timeoutMs }: Failed): unknown {
    if (!(error instanceof Error && "metadata" in error)) return error
    const { url, apiKey } = this.#options
    const failure = readGrpcError(error as ServiceError, { url, method, timeoutMs }, channel.proto)
    if (!(failure instanceof MillraceError)) return failure
    const serverVersion = versionIn((error as ServiceError).metadata) ?? this.#serverVersion
    return adviseOnRefusal(failure, { url, call: method, serverVersion, hasKey: apiKey !== undefined })
  }
}

interface Asking {
  readonly rpc: Rpc
  readonly message: object
  readonly metadata: WireRequest["metadata"]
  readonly attempt: Attempt
}

interface Failed {
  readonly channel: Channel
  readonly method: string
  readonly timeoutMs: number
}

const versionIn = (metadata: Metadata): string | undefined => metadata.get("millrace-version")[0]?.toString()

function rpcOf({ rpcs }: Channel, operation: keyof Operations): Rpc {
  const rpc = rpcs[operation]
  if (!rpc) throw new TypeError(`${operation} is not in the gRPC contract`)
  return rpc
}
