// gRPC at one address: an operation as an RPC of the service, with the errors and the answers that REST has.
import type { IncomingHttpHeaders } from "node:http2"
import { MillraceError } from "../calls/errors.ts"
import type { Logger } from "../calls/logger.ts"
import { adviseOnRefusal } from "../calls/refusal-advice.ts"
import { warningsOf } from "../calls/warnings.ts"
import type { Attempt, Wire, WireRequest } from "../calls/wire.ts"
import type { JobStream, JobStreamEvents, JobStreamRequest } from "../client/job-types.ts"
import type { Operations } from "../generated/wire.ts"
import type { Channel } from "./channel.ts"
import { GrpcJobStream } from "./job-stream.ts"
import { refuseWrongKinds } from "./kinds/refuse-wrong-kinds.ts"
import { readGrpcError } from "./read-grpc-error.ts"
import { RpcFailure } from "./rpc-failure.ts"
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
  /** The version that the last answer reported. The engine sends none when it refuses an RPC that it does not have. */
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
    refuseWrongKinds(request.operation, request.asked)
    const message = rpc.ask({ path, query, body } as never)
    try {
      const fields = this.#fields(request.metadata)
      const trailers = (told: IncomingHttpHeaders) => this.#note(told, rpc.method)
      const answer = await channel.call(rpc.method, message, { ...attempt, fields, trailers })
      return rpc.answer(answer as never, request.asked)
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
    try {
      return await GrpcJobStream.open(channel, { ...request, fields: this.#fields({}) }, { ...events, ended })
    } catch (error) {
      throw this.#explain(error, failed)
    }
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
      (channel) => channel.close(),
      () => {},
    )
  }

  #fields(metadata: Fields): Fields {
    const { apiKey } = this.#options
    return apiKey === undefined ? metadata : { ...metadata, authorization: `Bearer ${apiKey}` }
  }

  #note(trailers: IncomingHttpHeaders, method: string): void {
    this.#serverVersion = versionIn(trailers) ?? this.#serverVersion
    for (const warning of warningsOf(trailers.warning))
      this.#options.logger.warn({ warning, call: method }, "the engine warns")
  }

  #explain(error: unknown, { channel, method, timeoutMs }: Failed): unknown {
    if (!(error instanceof RpcFailure)) return error
    const { url, apiKey } = this.#options
    const failure = readGrpcError(error, { url, method, timeoutMs }, channel.proto)
    if (!(failure instanceof MillraceError)) return failure
    const serverVersion = versionIn(error.trailers) ?? this.#serverVersion
    return adviseOnRefusal(failure, { url, call: method, serverVersion, hasKey: apiKey !== undefined })
  }
}

type Fields = WireRequest["metadata"]

interface Failed {
  readonly channel: Channel
  readonly method: string
  readonly timeoutMs: number
}

/** Loaded by the first call: over REST the SDK needs no HTTP/2. */
const openChannel = (url: string): Promise<Channel> => import("./channel.ts").then(({ Channel }) => Channel.open(url))

const versionIn = (trailers: IncomingHttpHeaders): string | undefined => trailers["millrace-version"]?.toString()

function rpcOf({ rpcs }: Channel, operation: keyof Operations): Rpc {
  const rpc = rpcs[operation]
  if (!rpc) throw new TypeError(`${operation} is not in the gRPC contract`)
  return rpc
}
