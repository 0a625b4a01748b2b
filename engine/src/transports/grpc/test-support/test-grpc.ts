// A gRPC server on a real engine beside its REST server, for one test file, and a client that turns callbacks into promises.
import { credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js"
import * as proto from "@millrace/sdk/proto"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"
import { createGrpcServer, type GrpcServer } from "../server.ts"
import { WorkflowEngineClient } from "./clients.ts"

type Service = typeof proto.WorkflowEngineService
type Unary = {
  [Name in keyof Service]: Service[Name] extends proto.ServiceMethod<infer Q, infer A>
    ? (request: Partial<Q>, options?: RpcOptions) => Promise<A>
    : never
}

export interface RpcOptions {
  readonly metadata?: Readonly<Record<string, string>>
  readonly deadlineMs?: number
}

export interface TestGrpc {
  readonly rest: TestServer
  readonly server: GrpcServer
  readonly address: string
  readonly client: WorkflowEngineClient
  /** By their names in the stubs. */
  readonly rpc: Unary
  /** Trailing metadata of the newest call. */
  readonly trailer: () => Metadata
  close(): Promise<void>
}

export async function createTestGrpc(overrides: Parameters<typeof createTestServer>[0] = {}): Promise<TestGrpc> {
  const rest = await createTestServer(overrides)
  const server = createGrpcServer(rest.engine.kernel, rest.options)
  const address = (await server.listen(0, "127.0.0.1")).replace("grpc://", "")
  const client = new WorkflowEngineClient(address, credentials.createInsecure())
  let trailer = new Metadata()
  const rpc = new Proxy({} as Unary, {
    get:
      (_, name: string) =>
      (request: object, options: RpcOptions = {}) =>
        callUnary(client, name, { request, options, onTrailer: (metadata) => (trailer = metadata) }),
  })
  return {
    rest,
    server,
    address,
    client,
    rpc,
    trailer: () => trailer,
    async close() {
      client.close()
      await server.close()
      await rest.close()
    },
  }
}

interface UnaryCall {
  readonly request: object
  readonly options: RpcOptions
  readonly onTrailer: (metadata: Metadata) => void
}

type Send = (
  request: unknown,
  metadata: Metadata,
  options: object,
  done: (error: ServiceError | null, answer: unknown) => void,
) => { on(event: "status", listener: (ended: { metadata: Metadata }) => void): void }

function callUnary(client: WorkflowEngineClient, name: string, { request, options, onTrailer }: UnaryCall) {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(options.metadata ?? {})) metadata.set(key, value)
  const deadline = options.deadlineMs === undefined ? {} : { deadline: Date.now() + options.deadlineMs }
  const send = (client as unknown as Record<string, Send>)[name]!.bind(client)
  return new Promise((resolve, reject) => {
    const call = send(messageOf(name, request), metadata, deadline, (error, answer) =>
      error ? reject(error) : resolve(answer),
    )
    call.on("status", (ended) => onTrailer(ended.metadata))
  })
}

function messageOf(name: string, fields: object): unknown {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Request`
  return (proto as unknown as Record<string, { fromPartial(fields: object): unknown }>)[type]!.fromPartial(fields)
}

export interface Refused {
  readonly status: string
  readonly message: string
  readonly reason: string
  readonly domain: string
  readonly requestId: string
  readonly retrySeconds?: number
  readonly violations?: readonly { readonly field: string; readonly description: string }[]
}

/** What a call was refused with, its details unpacked as clients of google.rpc do it. */
export async function refusalOf(call: Promise<unknown>): Promise<Refused> {
  const error = await call.then(
    (answer) => Promise.reject(new Error(`it was answered: ${JSON.stringify(answer)}`)),
    (thrown: ServiceError) => thrown,
  )
  if (typeof error.code !== "number") throw error
  const [bytes] = error.metadata.get("grpc-status-details-bin")
  const { details } = proto.Status.decode(bytes as Buffer)
  const detail = (name: string) => details.find(({ typeUrl }) => typeUrl.endsWith(`/google.rpc.${name}`))?.value
  const { reason, domain, metadata } = proto.ErrorInfo.decode(detail("ErrorInfo") ?? new Uint8Array())
  const retry = detail("RetryInfo")
  const bad = detail("BadRequest")
  return {
    status: status[error.code]!,
    message: error.details,
    reason,
    domain,
    requestId: metadata.requestId ?? "",
    ...(retry ? { retrySeconds: proto.RetryInfo.decode(retry).retryDelay?.seconds ?? 0 } : {}),
    ...(bad ? { violations: proto.BadRequest.decode(bad).fieldViolations } : {}),
  }
}
