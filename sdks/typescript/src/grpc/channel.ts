// A connection to one gRPC address, and the RPCs of the service on it.
import type { CallOptions, ChannelOptions, ClientUnaryCall, Metadata, requestCallback } from "@grpc/grpc-js"
import { VERSION } from "../generated/version.ts"
import type * as proto from "../proto/index.ts"
import { type Grpc, loadGrpc } from "./load-grpc.ts"
import { type Rpc, rpcsOf } from "./rpcs.ts"

export interface Channel extends Grpc {
  readonly client: proto.WorkflowEngineClient
  readonly rpcs: Partial<Record<string, Rpc>>
  /** Sends a unary RPC; the message is filled up with what is absent. */
  method(name: string): UnaryCall
}

type UnaryCall = (
  message: object,
  metadata: Metadata,
  options: Partial<CallOptions>,
  done: requestCallback<object>,
) => ClientUnaryCall

const OPTIONS: ChannelOptions = {
  "grpc.primary_user_agent": `millrace-typescript/${VERSION}`,
  // An engine that was restarted is found again quickly: the usual first pause is a second, the longest two minutes.
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2_000,
  // A connection that died without a word is noticed by a worker that only listens.
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
  // Clients do not share connections, so that closing one ends its own.
  "grpc.use_local_subchannel_pool": 1,
  // Its records of every call and message are for a service that none serves here.
  "grpc.enable_channelz": 0,
}

export async function openChannel(url: string): Promise<Channel> {
  const { grpc, proto: messages } = await loadGrpc()
  const { host, port, hostname, protocol } = new URL(url)
  const secure = protocol === "grpcs:"
  const credentials = secure ? grpc.credentials.createSsl() : grpc.credentials.createInsecure()
  const address = port ? host : `${hostname}:${secure ? 443 : 9090}`
  const client = new messages.WorkflowEngineClient(address, credentials, OPTIONS)
  return { grpc, proto: messages, client, rpcs: rpcsOf(messages), method: (name) => unary(client, messages, name) }
}

function unary(client: proto.WorkflowEngineClient, messages: Grpc["proto"], name: string): UnaryCall {
  const { path, requestSerialize, responseDeserialize } = definitionOf(messages, name)
  const encode = (message: object) => requestSerialize(requestOf(messages, name).fromPartial(message as never) as never)
  const decode = (bytes: Buffer) => responseDeserialize(messages.strictReader(bytes) as never) as object
  // Encoded before the call: a message that cannot be is the caller's error, and would look like the engine's inside it.
  return (message, metadata, options, done) => {
    const bytes = encode(message)
    return withoutStack(() => client.makeUnaryRequest(path, same, decode, bytes, metadata, options, done))
  }
}

/** grpc-js takes the caller's stack at every call, for errors that are made anew here. It is left out, because it costs time. */
function withoutStack<T>(call: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return call()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const same = (bytes: Buffer): Buffer => bytes

/** Of our own service, or of the health service that stands beside it. */
const definitionOf = ({ WorkflowEngineService, HealthService }: Grpc["proto"], name: string) =>
  name === "check" ? HealthService.check : WorkflowEngineService[name as keyof typeof WorkflowEngineService]

/** `StartInstanceRequest` of `startInstance`. */
function requestOf(messages: Grpc["proto"], name: string): { fromPartial(message: never): object } {
  if (name === "check") return messages.HealthCheckRequest as never
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Request`
  return (messages as unknown as Record<string, { fromPartial(message: never): object }>)[type]!
}
