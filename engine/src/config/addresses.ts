// Addresses and names in settings: what a host, an origin or a database URL may look like, and which hosts are this machine.
import { isIP } from "node:net"

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9]([a-z0-9-]{0,62}))*$/i

export const isHost = (text: string): boolean => isIP(text) !== 0 || HOST_NAME.test(text)

/** `host:port`; an address of IPv6 in brackets. */
export function isBroker(text: string): boolean {
  const [, address, name, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const isKnown = address === undefined ? isHost(name ?? "") : isIP(address) === 6
  return isKnown && Number(port) > 0 && Number(port) <= 65_535
}

/** Loopback: reachable from this machine only. A name other than localhost is not trusted to stay here. */
export function isLoopback(address: string): boolean {
  const host = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "")
  if (host === "localhost" || host === "::1") return true
  return isIP(host) === 4 && host.startsWith("127.")
}

export const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text

export const isWebUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** The address of a service that requests are forwarded to. A user or a password in it would appear in every log line that names it. */
export function isUpstreamUrl(text: string): boolean {
  if (!isWebUrl(text) || /[\s\\]/.test(text)) return false
  const { username, password, search, hash, pathname } = new URL(text)
  return [username, password, search, hash].every((part) => part === "") && !/%|\/\//.test(pathname)
}

/** A URL form that both our driver and psql read. An empty host with `?host=/socket/folder` is allowed. */
export const isPostgresUrl = (text: string): boolean => /^postgres(ql)?:\/\//.test(text) && URL.canParse(withHost(text))

/** `postgres://ada@/shop`: a DSN, and to the parser of URLs none. */
const NO_HOST = /(@|\/\/)\//
const withHost = (dsn: string): string => dsn.replace(NO_HOST, "$1localhost/")

/** Where a database is, for messages: host and port, never its user or password. Undefined where the DSN names no host. */
export function databaseAddress(dsn: string): string | undefined {
  const { hostname, port, searchParams } = new URL(withHost(dsn))
  const host = searchParams.get("host") ?? (NO_HOST.test(dsn) ? undefined : hostname)
  if (host === undefined) return undefined
  // A folder with a socket in it has no port to name.
  return host.startsWith("/") ? host : `${host}:${searchParams.get("port") ?? (port || "5432")}`
}

/** Names PostgreSQL takes without quotes, so that no statement ever needs them. */
export const isSchemaName = (text: string): boolean => /^[a-z_][a-z0-9_]{0,62}$/.test(text) && !text.startsWith("pg_")
