// Sends calls of gRPC over HTTP/2, frame by frame: whole ones and broken ones.
import type { ClientHttp2Session, IncomingHttpHeaders } from "node:http2"
import { openHttp2 } from "../../attack/http2.ts"
import type { GrpcRequest } from "./grpc-request.ts"
import { HEAD } from "./wire-format.ts"

export interface GrpcAnswer {
  /** The number of the status; undefined where there is none. */
  readonly status: number | undefined
  readonly message: string
  readonly details: Buffer | undefined
  readonly requestId: string
  /** The messages of the answer, whole. */
  readonly messages: readonly Buffer[]
  readonly failure?: string
}

const GIVE_UP_MS = 90_000
/** How long a stream is listened to. */
const STREAMED_MS = 30

export class GrpcWire {
  readonly #url: string
  #session: Promise<ClientHttp2Session> | undefined

  constructor(url: string) {
    this.#url = url
  }

  async send(request: GrpcRequest): Promise<GrpcAnswer> {
    const session = await this.#open()
    return new Promise((resolve) => {
      const call = session.request(request.headers)
      const told: IncomingHttpHeaders = {}
      const parts: Buffer[] = []
      let failure: string | undefined
      call.on("response", (headers) => void Object.assign(told, headers))
      call.on("trailers", (headers) => void Object.assign(told, headers))
      call.on("data", (part: Buffer) => void parts.push(part))
      call.once("error", ({ message }) => {
        failure = message
      })
      call.setTimeout(GIVE_UP_MS, () => call.destroy(new Error(`no answer in ${GIVE_UP_MS} ms`)))
      call.once("close", () => resolve(answerOf(told, Buffer.concat(parts), failure)))
      call.write(request.body)
      if (request.rpc.streams) setTimeout(() => call.end(), STREAMED_MS)
      else call.end()
    })
  }

  /** Broken frames may end the connection: the next call opens another. */
  #open(): Promise<ClientHttp2Session> {
    this.#session ??= openHttp2(this.#url).then((session) => {
      session.once("close", () => {
        this.#session = undefined
      })
      session.once("goaway", () => {
        this.#session = undefined
      })
      return session
    })
    return this.#session
  }

  async close(): Promise<void> {
    ;(await this.#session)?.destroy()
  }
}

function answerOf(told: IncomingHttpHeaders, bytes: Buffer, failure: string | undefined): GrpcAnswer {
  const status = told["grpc-status"]
  const details = told["grpc-status-details-bin"]
  return {
    status: status === undefined ? undefined : Number(status),
    message: decodeURIComponent(String(told["grpc-message"] ?? "").replaceAll(/%(?![0-9A-F]{2})/g, "%25")),
    details: details === undefined ? undefined : Buffer.from(String(details), "base64"),
    requestId: String(told["x-request-id"] ?? ""),
    messages: messagesIn(bytes),
    ...(failure === undefined ? {} : { failure }),
  }
}

function messagesIn(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = []
  for (let at = 0; at + HEAD <= bytes.length; ) {
    const end = at + HEAD + bytes.readUInt32BE(at + 1)
    messages.push(bytes.subarray(at + HEAD, end))
    at = end
  }
  return messages
}
