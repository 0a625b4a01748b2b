// A message that cannot be read: it is refused where other refusals are, after its caller has been checked.
import type { MethodDefinition } from "@grpc/grpc-js"
import { strictReader } from "@millrace/sdk/proto"
import { badRequest, type EngineError } from "../../support/errors.ts"
import { safeText } from "../../support/redact.ts"

export class Undecodable {
  readonly error: EngineError
  constructor(reason: unknown) {
    const why = reason instanceof Error ? safeText(reason.message).slice(0, 200) : "it is not of its type"
    this.error = badRequest(`the message cannot be read: ${why}`)
  }
}

/** The service as the stubs have it, except that what cannot be decoded reaches its handler as `Undecodable`. */
// biome-ignore lint/suspicious/noExplicitAny: grpc-js writes services like this.
export function tolerant<Service extends Record<string, MethodDefinition<any, any>>>(service: Service): Service {
  const methods = Object.entries(service).map(([name, method]) => [
    name,
    {
      ...method,
      requestDeserialize: (bytes: Buffer) => decoded(() => method.requestDeserialize(strictReader(bytes) as never)),
    },
  ])
  return Object.fromEntries(methods) as Service
}

function decoded(decode: () => unknown): unknown {
  try {
    return decode()
  } catch (error) {
    return new Undecodable(error)
  }
}
