// Refuses requests whose length or protocol two servers can read differently: the way to smuggle a second request past a guard.
import type { IncomingMessage } from "node:http"
import { GatewayRefusal, unclear } from "./refusal.ts"

export interface Framing {
  readonly hasBody: boolean
  readonly isUpgrade: boolean
}

type Head = Pick<IncomingMessage, "method" | "rawHeaders" | "headers" | "httpVersion">

const NEVER = new Set(["CONNECT", "TRACE"])
const ONCE = new Set(["content-length", "transfer-encoding", "host", "upgrade", "authorization"])
const WEBSOCKET = "websocket"

/** Node's parser refuses some of this already; here it does not depend on how the parser is set. */
export function judgeFraming({ method = "", rawHeaders, headers, httpVersion }: Head): Framing {
  if (NEVER.has(method)) throw new GatewayRefusal("method-not-allowed", `${method} is not forwarded`)
  judgeRepeats(rawHeaders)
  const length = headers["content-length"]
  const coding = headers["transfer-encoding"]
  if (length !== undefined && coding !== undefined)
    throw unclear("Content-Length and Transfer-Encoding exclude each other: send one of them")
  if (coding !== undefined && (coding.toLowerCase() !== "chunked" || httpVersion === "1.0"))
    throw unclear("Transfer-Encoding may be chunked alone, and not in HTTP/1.0")
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw unclear("Content-Length must be a number of bytes")
  const hasBody = coding !== undefined || (length !== undefined && Number(length) > 0)
  return { hasBody, isUpgrade: judgeUpgrade(method, headers, hasBody) }
}

function judgeRepeats(rawHeaders: readonly string[]): void {
  let seen: string[] | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!ONCE.has(name)) continue
    if (seen?.includes(name)) throw unclear(`header ${name} is given more than once: send it once`)
    seen = seen ?? []
    seen.push(name)
  }
}

/** Only to WebSocket: with h2c the caller would speak to the upstream past every rule. */
function judgeUpgrade(method: string, headers: Head["headers"], hasBody: boolean): boolean {
  const { upgrade } = headers
  if (headers["http2-settings"] !== undefined) throw unclear("HTTP/2 is not spoken here: send HTTP/1.1")
  if (upgrade === undefined) return false
  if (upgrade.toLowerCase() !== WEBSOCKET) throw unclear("a connection may be upgraded to websocket alone")
  if (method !== "GET" || hasBody) throw unclear("an upgrade to websocket is a GET without a body")
  return true
}
