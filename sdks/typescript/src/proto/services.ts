// The services of the gRPC port: of each method its path, and how its messages are written and read.
import type { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire"
import { HealthDefinition } from "../generated/proto/grpc/health/v1/health.ts"
import { ServerReflectionDefinition } from "../generated/proto/grpc/reflection/v1/reflection.ts"
import { ServerReflectionDefinition as ServerReflectionAlphaDefinition } from "../generated/proto/grpc/reflection/v1alpha/reflection.ts"
import { WorkflowEngineDefinition } from "../generated/proto/workflow/v1/engine.ts"

interface MessageType {
  encode(message: never): BinaryWriter
  decode(bytes: BinaryReader | Uint8Array): unknown
}

interface Described {
  readonly name: string
  readonly requestType: MessageType
  readonly requestStream: boolean
  readonly responseType: MessageType
  readonly responseStream: boolean
}

interface Definition {
  readonly fullName: string
  readonly methods: Readonly<Record<string, Described>>
}

/** The shape that grpc-js takes, too. */
export interface ServiceMethod<Request, Response> {
  readonly path: string
  readonly requestStream: boolean
  readonly responseStream: boolean
  readonly requestSerialize: (message: Request) => Buffer
  readonly requestDeserialize: (bytes: BinaryReader | Uint8Array) => Request
  readonly responseSerialize: (message: Response) => Buffer
  readonly responseDeserialize: (bytes: BinaryReader | Uint8Array) => Response
}

type MessageOf<Type extends MessageType> = ReturnType<Type["decode"]>
type Service<D extends Definition> = {
  readonly [Name in keyof D["methods"]]: ServiceMethod<
    MessageOf<D["methods"][Name]["requestType"]>,
    MessageOf<D["methods"][Name]["responseType"]>
  >
}

const serviceOf = <D extends Definition>({ fullName, methods }: D): Service<D> =>
  Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, methodOf(`/${fullName}/${method.name}`, method)]),
  ) as object as Service<D>

function methodOf(path: string, described: Described): ServiceMethod<unknown, unknown> {
  const { requestType, responseType, requestStream, responseStream } = described
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: (message) => toBytes(requestType.encode(message as never)),
    requestDeserialize: (bytes) => requestType.decode(bytes),
    responseSerialize: (message) => toBytes(responseType.encode(message as never)),
    responseDeserialize: (bytes) => responseType.decode(bytes),
  }
}

/** Over the same memory. */
function toBytes(writer: BinaryWriter): Buffer {
  const { buffer, byteOffset, byteLength } = writer.finish()
  return Buffer.from(buffer, byteOffset, byteLength)
}

export const WorkflowEngineService = serviceOf(WorkflowEngineDefinition)
export const HealthService = serviceOf(HealthDefinition)
export const ServerReflectionService = serviceOf(ServerReflectionDefinition)
export const ServerReflectionAlphaService = serviceOf(ServerReflectionAlphaDefinition)
