// What to do about a connection that failed: nothing listens there, or it speaks something else than we do.
import type { SpokenProtocol } from "../calls/errors.ts"

export interface SocketError extends Error {
  readonly code?: string
  /** What an HTTP parser could not read. */
  readonly rawPacket?: Uint8Array
}

/** An AggregateError of several addresses has no message of its own. */
export const explained = (error: SocketError): string => error.message || error.code || error.name

/** A sentence to put after the reason, or nothing. */
export function adviceOf(error: SocketError, base: URL): string {
  const { code = "" } = error
  if (code === "ECONNREFUSED")
    return `. Is the engine running, and is ${base.port || "this"} its REST port? It is 8080 unless told otherwise`
  if (code === "EPROTO" || code.startsWith("ERR_SSL_"))
    return `. It does not speak TLS: use http://${base.host} instead of https`
  if (code === "ECONNRESET" && base.protocol === "http:" && error.message === HUNG_UP)
    return `. If it speaks TLS, use https://${base.host}`
  const spoken = spokenBy(error)
  return spoken === undefined ? certificateAdvice(code) : protocolAdvice(spoken, base)
}

/** What answers there instead of HTTP, where something does. */
export function spokenBy({ code = "", rawPacket = new Uint8Array() }: SocketError): SpokenProtocol | undefined {
  if (!code.startsWith("HPE_")) return undefined
  if (rawPacket[0] === TLS_ALERT) return "TLS"
  return rawPacket[3] === SETTINGS ? "gRPC" : "unknown"
}

/** Node's words for a connection that was closed before any answer: how many TLS servers treat plain HTTP. */
const HUNG_UP = "socket hang up"

const CERTIFICATE = /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_|ERR_TLS_CERT)/

const certificateAdvice = (code: string): string =>
  CERTIFICATE.test(code) ? ". Name the authority that signed the certificate in NODE_EXTRA_CA_CERTS" : ""

/** A TLS record of the type alert. */
const TLS_ALERT = 0x15
/** The type of an HTTP/2 SETTINGS frame, behind the three bytes of its length. */
const SETTINGS = 0x04

function protocolAdvice(spoken: SpokenProtocol, base: URL): string {
  switch (spoken) {
    case "TLS":
      return `. It speaks TLS: use https://${base.host}`
    case "gRPC":
      return `. It speaks gRPC: use grpc://${base.host}, or the REST port, 8080 unless told otherwise`
    case "unknown":
      return ". It does not speak HTTP: is this the REST port? It is 8080 unless told otherwise"
  }
}
