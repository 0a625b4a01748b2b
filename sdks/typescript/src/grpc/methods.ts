// How the messages of an RPC are written and read, and the path that it has on the wire.
import type { Proto } from "./load-proto.ts"
import { Code } from "./protocol/codes.ts"
import { RpcFailure } from "./rpc-failure.ts"

export interface Method {
  readonly path: string
  /** What the message leaves out is absent. */
  readonly encode: (message: object) => Uint8Array
  readonly decode: (bytes: Buffer) => object
}

interface MessageType {
  fromPartial(message: object): object
}

export function methodOf(proto: Proto, name: string): Method {
  const { path, requestSerialize, responseDeserialize } = definitionOf(proto, name)
  const request = requestOf(proto, name)
  return {
    path,
    encode: (message) => requestSerialize(request.fromPartial(message) as never),
    decode: (bytes) => read(() => responseDeserialize(proto.strictReader(bytes)) as object),
  }
}

function read<T>(decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    throw new RpcFailure(Code.DATA_LOSS, String(cause), { cause })
  }
}

/** The method of our own service, or of the health service beside it. */
const definitionOf = ({ WorkflowEngineService, HealthService }: Proto, name: string) =>
  name === "check" ? HealthService.check : WorkflowEngineService[name as keyof typeof WorkflowEngineService]

/** `StartInstanceRequest` of `startInstance`. */
function requestOf(proto: Proto, name: string): MessageType {
  if (name === "check") return proto.HealthCheckRequest as MessageType
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Request`
  return (proto as unknown as Record<string, MessageType>)[type]!
}
