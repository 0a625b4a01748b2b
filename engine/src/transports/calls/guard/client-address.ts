// The address of a caller: of its connection, or, behind a proxy that the operator has named, what the proxy says.
import type { IncomingHttpHeaders } from "node:http"
import { addressKey, clientIp, networkList, type ProxyHeader } from "@millrace/guard"

/** What the logs, the trusted networks and the guard go by. */
export type FindAddress = (peer: string | undefined, headers: IncomingHttpHeaders) => string | undefined

/** Without proxies the headers count for nothing: anyone can write them. With them, the one that they write, and no other. */
export function addressBehind(proxies: readonly string[], header: ProxyHeader): FindAddress {
  if (proxies.length === 0) return (peer) => peer
  const isTrusted = networkList(proxies)
  return (peer, headers) =>
    clientIp({ peer, forwardedFor: headers["x-forwarded-for"], forwarded: headers.forwarded }, { isTrusted, header })
}

/** Stands for a connection that has closed already, and cannot be answered. */
const UNKNOWN = "0.0.0.0"

const MOST_KEYS = 1_000
const keys = new Map<string, string>()

/** The address that the guard counts by. For IPv6 it is the /64, because one household has all its addresses. Recent ones are cached. */
export function guardAddress(address: string = UNKNOWN): string {
  const known = keys.get(address)
  if (known !== undefined) return known
  const key = addressKey(address) ?? UNKNOWN
  if (keys.size >= MOST_KEYS) keys.clear()
  keys.set(address, key)
  return key
}
