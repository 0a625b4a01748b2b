// The gRPC service at one address: its connection, its RPCs and its messages.
import { VERSION } from "../generated/version.ts"
import { Http2Connection } from "./http2-connection.ts"
import { loadProto, type Proto } from "./load-proto.ts"
import { type Method, methodOf } from "./methods.ts"
import { RpcCall, type RpcEvents } from "./rpc-call.ts"
import { type Rpc, rpcsOf } from "./rpcs.ts"
import { type UnaryTerms, unary } from "./unary.ts"

type Fields = Readonly<Record<string, string>>

interface CallTerms extends UnaryTerms {
  readonly fields: Fields
}

const HEADERS = {
  ":method": "POST",
  te: "trailers",
  "content-type": "application/grpc",
  "user-agent": `millrace-typescript/${VERSION}`,
} as const

export class Channel {
  readonly proto: Proto
  readonly rpcs: Partial<Record<string, Rpc>>
  readonly #connection: Http2Connection
  readonly #methods = new Map<string, Method>()

  private constructor(url: string, messages: Proto) {
    this.proto = messages
    this.rpcs = rpcsOf(messages)
    this.#connection = new Http2Connection(originOf(url))
  }

  static async open(url: string): Promise<Channel> {
    return new Channel(url, await loadProto())
  }

  close(): void {
    this.#connection.close()
  }

  /** A message that cannot be encoded is the caller's error, and nothing is sent. */
  async call(name: string, message: object, { fields, ...terms }: CallTerms): Promise<object> {
    const { path, encode, decode } = this.#method(name)
    const bytes = encode(message)
    const headers = { ...HEADERS, ...checked(fields), ":path": path, "grpc-timeout": timeoutText(terms.timeoutMs) }
    return decode(await unary(this.#connection.request(headers), bytes, terms))
  }

  async openJobStream(fields: Fields, events: RpcEvents): Promise<RpcCall> {
    const headers = { ...HEADERS, ...checked(fields), ":path": this.#method("streamJobs").path }
    return new RpcCall(await this.#connection.request(headers), events)
  }

  #method(name: string): Method {
    const known = this.#methods.get(name)
    if (known) return known
    const method = methodOf(this.proto, name)
    this.#methods.set(name, method)
    return method
  }
}

function originOf(url: string): string {
  const { host, port, hostname, protocol } = new URL(url)
  const secure = protocol === "grpcs:"
  return `${secure ? "https" : "http"}://${port ? host : `${hostname}:${secure ? 443 : 9090}`}`
}

/** In milliseconds, with the eight digits that there may be. */
const timeoutText = (ms: number): string => `${Math.min(99_999_999, Math.ceil(ms))}m`

/** HTTP/2 would break the connection over such a field. */
function checked(fields: Fields): Fields {
  for (const [name, value] of Object.entries(fields))
    if (!/^[\x20-\x7e]*$/.test(value)) throw new TypeError(`${name} cannot be sent: it may have printable ASCII only`)
  return fields
}
