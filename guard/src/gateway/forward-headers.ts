// The headers that an upstream is sent: the caller's own, without what speaks of this connection, of the guard, or of who is calling.
import { comparedName, isTrustedHeader } from "./trusted-headers.ts"

/** What the gateway says of a request in its own words. */
export interface Sender {
  readonly requestId: string
  /** The caller's address, as the trusted proxies tell it. */
  readonly address: string
  readonly proto: "http" | "https"
  /** The name that the caller used for this server. */
  readonly host: string | undefined
  /** `user:<id>`, `key:<id>`; undefined where the caller has not signed in. */
  readonly client?: string | undefined
  readonly role?: string | undefined
  /** Where the request stands in a trace; without one the caller's own header passes. */
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
  /** The Authorization header is the guard's: an upstream must not be able to use it elsewhere. */
  readonly ownsAuthorization: boolean
}

/** Headers of one connection or of an intermediary are never passed on. RFC 9110, 7.6.1. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-authentication-info",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
])

/** Names that `Connection` marks as meant for the next hop; undefined where it names none that matter. */
export function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined) return undefined
  const lower = connection.toLowerCase()
  if (lower === "keep-alive" || lower === "close") return undefined
  return new Set(lower.split(",").map((name) => name.trim()))
}

interface Received {
  readonly rawHeaders: readonly string[]
  readonly headers: { readonly connection?: string | undefined }
}

/** Returns a flat list of names and values. The cookies named in `cookies` are the guard's, and are not forwarded. */
export function forwardHeaders(
  { rawHeaders, headers }: Received,
  sender: Sender,
  cookies: readonly string[],
): string[] {
  const named = namedByConnection(headers.connection)
  const sent: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] as string
    const name = comparedName(written)
    if (HOP_BY_HOP.has(name) || isTrustedHeader(name) || isReplaced(name, sender)) continue
    if (named?.has(written.toLowerCase())) continue
    const given = rawHeaders[at + 1] as string
    const value = name === "cookie" ? withoutCookies(given, cookies) : given
    if (value !== "" || name !== "cookie") sent.push(written, value)
  }
  addOwn(sent, sender)
  return sent
}

const isReplaced = (name: string, { ownsAuthorization, traceparent }: Sender): boolean =>
  (name === "authorization" && ownsAuthorization) ||
  (traceparent !== undefined && (name === "traceparent" || name === "tracestate"))

/** One address and not the chain: what stands further left in it anyone can have written. */
function addOwn(sent: string[], sender: Sender): void {
  sent.push("X-Forwarded-For", sender.address, "X-Forwarded-Proto", sender.proto, "X-Request-ID", sender.requestId)
  if (sender.host !== undefined) sent.push("X-Forwarded-Host", sender.host)
  if (sender.client !== undefined) sent.push("X-Millrace-Client", sender.client)
  if (sender.role !== undefined) sent.push("X-Millrace-Role", sender.role)
  if (sender.traceparent !== undefined) sent.push("traceparent", sender.traceparent)
  if (sender.traceparent !== undefined && sender.tracestate !== undefined) sent.push("tracestate", sender.tracestate)
}

function withoutCookies(value: string, cookies: readonly string[]): string {
  if (!cookies.some((name) => value.includes(name))) return value
  const kept = value.split(";").filter((one) => !cookies.includes(one.split("=", 1)[0]!.trim()))
  return kept.join(";").trim()
}
