// Who calls, behind proxies: the right-most hop that no trusted proxy of ours is.
import { addressKey, plainAddress } from "./ip-address.ts"
import type { IsWithin } from "./network-list.ts"

/** What came with the connection. A header that was sent on several lines is one list, in their order. */
export interface Arrival {
  /** The address of the socket's other end. */
  readonly peer: string | undefined
  readonly forwardedFor?: string | readonly string[] | undefined
  readonly forwarded?: string | readonly string[] | undefined
}

export interface Proxies {
  readonly isTrusted: IsWithin
  /** The header that the proxies write, `x-forwarded-for` unless said. The other one is never read: a client could choose it. */
  readonly header?: ProxyHeader | undefined
}

export const PROXY_HEADERS = ["x-forwarded-for", "forwarded"] as const
export type ProxyHeader = (typeof PROXY_HEADERS)[number]

const MOST_HOPS = 10
/** Ten hops with room to spare. What is left of it is never looked at, whatever its length. */
const MOST_CHARACTERS = 2048
/** Stands for a socket that has closed already. It cannot be answered, and no real client has this address. */
const UNKNOWN = "0.0.0.0"

/** The address that limits and blocks go by: see `addressKey`. */
export const clientAddress = (arrival: Arrival, proxies: Proxies): string =>
  addressKey(clientIp(arrival, proxies)) as string

/** The address itself. What a client wrote on the left of the list is never reached: its own hop is not a trusted one. */
export function clientIp(arrival: Arrival, { isTrusted, header }: Proxies): string {
  let client = plainAddress(arrival.peer ?? "") ?? UNKNOWN
  if (!isTrusted(client)) return client
  for (const hop of hopsOf(arrival, header)) {
    const address = addressIn(hop)
    // A trusted proxy that names no address hides its client: the client counts as the proxy.
    if (address === undefined) return client
    client = address
    if (!isTrusted(client)) return client
  }
  return client
}

/** From the right to the left, at most ten. */
function hopsOf({ forwardedFor, forwarded }: Arrival, header: Proxies["header"]): string[] {
  if (header !== "forwarded") return lastOf(textOf(forwardedFor))
  return lastOf(textOf(forwarded)).map((hop) => /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;]*)/i.exec(hop)?.[1] ?? "")
}

const textOf = (header: Arrival["forwarded"]): string =>
  typeof header === "string" ? header : (header ?? []).join(",")

function lastOf(text: string): string[] {
  if (text === "") return []
  const hops = text.slice(-MOST_CHARACTERS).split(",")
  // The first piece of what was cut may be the end of another address.
  if (text.length > MOST_CHARACTERS) hops[0] = ""
  return hops.slice(-MOST_HOPS).reverse()
}

/** `1.2.3.4`, `1.2.3.4:80`, `2001:db8::1`, `[2001:db8::1]:80`, each in quotes or not. */
function addressIn(hop: string): string | undefined {
  const bare = hop.trim().replace(/^"(.*)"$/, "$1")
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(bare)
  if (bracketed) return plainAddress(bracketed[1] as string)
  return plainAddress(bare.replace(/^([\d.]+):\d{1,5}$/, "$1"))
}
