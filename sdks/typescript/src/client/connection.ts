// The way to the engine: the transport that the scheme of the url names, over one address or several.
import { Addresses } from "../calls/addresses.ts"
import { Caller } from "../calls/caller.ts"
import { monotonicClock } from "../calls/clock.ts"
import { defaultLogger, safeLogger } from "../calls/logger.ts"
import type { Wire } from "../calls/wire.ts"
import type { Operations } from "../generated/wire.ts"
import { GRPC_OPERATIONS } from "../grpc/grpc-operations.ts"
import { GrpcWire } from "../grpc/grpc-wire.ts"
import { loadProto } from "../grpc/load-proto.ts"
import { RestWire } from "../http/rest-wire.ts"
import type { EngineClientOptions } from "./engine-client-options.ts"
import { isGrpc, readUrls } from "./urls.ts"

export interface Connection {
  readonly caller: Caller
  /** Only for gRPC, which has streams. */
  readonly streams: Addresses<GrpcWire> | undefined
  /** Loads what the transport needs; rejects when it is not installed. */
  prepare(): Promise<void>
  close(): void
}

/** The call is not in the gRPC contract, and no REST address was given for it. */
export class RestOnlyError extends Error {
  override readonly name: string = "RestOnlyError"

  constructor(operation: string) {
    super(
      `${operation} is not in the gRPC contract: give the EngineClient a restUrl beside its url, such as http://127.0.0.1:8080`,
    )
  }
}

export function connect(options: EngineClientOptions): Connection {
  const urls = readUrls("url", options.url)
  const grpc = urls.some(isGrpc)
  const streams = grpc ? new Addresses(urls.map((url) => grpcWire(options, url))) : undefined
  const rest = restAddresses(options, grpc ? options.restUrl : urls)
  const caller = new Caller({
    addresses: (operation) => addressesOf(operation, streams, rest),
    timeoutMs: options.timeoutMs ?? 60_000,
    attemptTimeoutMs: options.attemptTimeoutMs ?? 30_000,
    maxAttempts: options.maxAttempts ?? 5,
    clock: options.clock ?? monotonicClock,
  })
  const prepare = async () => {
    if (grpc) await loadProto()
  }
  return { caller, streams, prepare, close: () => closeAll(streams, rest) }
}

function addressesOf(operation: keyof Operations, grpc: Addresses | undefined, rest: Addresses | undefined): Addresses {
  const addresses = grpc && GRPC_OPERATIONS.has(operation) ? grpc : rest
  if (!addresses) throw new RestOnlyError(operation)
  return addresses
}

function restAddresses(options: EngineClientOptions, urls: EngineClientOptions["restUrl"]): Addresses | undefined {
  if (urls === undefined) return undefined
  const { apiKey, maxSockets = 64, logger = defaultLogger } = options
  const read = readUrls("restUrl", urls)
  if (read.some(isGrpc)) throw new TypeError(`restUrl must be an http or https address, got "${urls}"`)
  const wire = { apiKey, maxSockets, logger: safeLogger(logger) }
  return new Addresses<Wire>(read.map((url) => new RestWire({ url, ...wire })))
}

const grpcWire = ({ apiKey, logger = defaultLogger }: EngineClientOptions, url: string): GrpcWire =>
  new GrpcWire({ url, apiKey, logger: safeLogger(logger) })

function closeAll(...addresses: readonly (Addresses | undefined)[]): void {
  for (const one of addresses) one?.close()
}
