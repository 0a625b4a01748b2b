// Which requests this port takes at all: loopback is no wall against web pages, so host, origin and content type are checked.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { isIP } from "node:net"
import { hasTooManyHeaders, MOST_HEADER_LINES } from "@millrace/guard"
import { badRequest, EngineError } from "../../support/errors.ts"

const ALWAYS = ["localhost", "127.0.0.1", "::1"]
const READS = new Set(["GET", "HEAD", "OPTIONS"])

/** `example.org:8080` → `example.org`, `[::1]:8080` → `::1`; undefined when it is neither. */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@[\]\s]+))(?::\d{1,5})?$/i.exec(host)
  return (match?.[1] ?? match?.[2])?.toLowerCase()
}

export class Admission {
  readonly #hosts: Set<string>
  readonly #origins: ReadonlySet<string>

  constructor(allowedHosts: readonly string[], corsOrigins: readonly string[]) {
    this.#hosts = new Set([...ALWAYS, ...allowedHosts.map((host) => host.toLowerCase())])
    this.#origins = new Set(corsOrigins)
  }

  /** The address that is listened on is a name for us, too. */
  addHost(host: string): void {
    this.#hosts.add(host.toLowerCase())
  }

  /** The origin to name in CORS headers. */
  corsOrigin({ origin }: IncomingHttpHeaders): string | undefined {
    return origin !== undefined && this.#origins.has(origin) ? origin : undefined
  }

  checkHost(host: string | undefined, localAddress?: string): void {
    const name = hostName(host ?? "")
    if (name !== undefined && (this.#hosts.has(name) || isOwnAddress(name, localAddress))) return
    throw new EngineError("misdirected-request", "this host name is not served here; see WE_ALLOWED_HOSTS")
  }

  /** What changes something must not come from a stranger's web page, nor be something a form can send. */
  checkWrite({ method, headers }: Pick<IncomingMessage, "method" | "headers">): void {
    if (READS.has(method ?? "")) return
    this.#checkOrigin(headers)
    checkContentType(headers)
  }

  /** What is forwarded may be of any content type. A WebSocket is opened by a GET, and writes as much as it likes. */
  checkForwarded({ method, headers }: Pick<IncomingMessage, "method" | "headers">): void {
    if (!READS.has(method ?? "") || headers.upgrade !== undefined) this.#checkOrigin(headers)
  }

  #checkOrigin(headers: IncomingHttpHeaders): void {
    if (this.corsOrigin(headers) === undefined && isForeign(headers))
      throw new EngineError("forbidden", "a web page of another origin may not do this; see WE_CORS_ORIGINS")
  }
}

/** Node drops header lines above its limit. Of two equal headers it keeps the first, but a proxy or an upstream may use the other. */
export function checkHead(rawHeaders: readonly string[]): void {
  if (hasTooManyHeaders(rawHeaders))
    throw badRequest(`the request has more than ${MOST_HEADER_LINES} lines of headers: send fewer`)
  let hosts = 0
  let credentials = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === "host") hosts++
    if (name.length === 13 && name.toLowerCase() === "authorization") credentials++
  }
  if (hosts > 1) throw badRequest("header.Host is given more than once: send it once")
  if (credentials > 1) throw badRequest("header.Authorization is given more than once: send it once")
}

/** Whether a web page of another origin has sent it, by what browsers say themselves. */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers
  const site = headers["sec-fetch-site"]
  return site === "cross-site" || site === "same-site" || (origin !== undefined && !sameHost(origin, host))
}

/** A page that rebinds a name of its own sends that name, never our address: the address itself is safe, and probes use it. */
const isOwnAddress = (name: string, localAddress: string | undefined): boolean =>
  isIP(name) !== 0 && name === localAddress?.replace(/^::ffff:/, "")

function sameHost(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host: originHost } = new URL(origin)
  return /^https?:$/.test(protocol) && originHost === host?.toLowerCase()
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i

/** JSON in UTF-8, not compressed. A request without a body needs no content type. */
function checkContentType(headers: IncomingHttpHeaders): void {
  const type = headers["content-type"]
  const length = headers["content-length"]
  const hasBody = headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0")
  const encoding = headers["content-encoding"]
  const readable = type === undefined ? !hasBody : type === "application/json" || JSON_TYPE.test(type)
  if (readable && (encoding === undefined || encoding === "identity")) return
  throw new EngineError("unsupported-format", "send JSON, with Content-Type: application/json and no Content-Encoding")
}
