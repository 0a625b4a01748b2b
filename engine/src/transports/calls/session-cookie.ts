// The cookie that carries a session, in two forms: bound to TLS, and plain where the browser is on plain HTTP.
import type { IncomingHttpHeaders } from "node:http"
import { isForeign } from "./admission.ts"

/** The prefix is the browser's promise: set over TLS, for this host alone, by this server only. */
const TLS_NAME = "__Host-millrace-session"
const PLAIN_NAME = "millrace-session"
const ALWAYS = "; HttpOnly; SameSite=Strict; Path=/"
/** Sent along when the provider sends the browser back, which is a visit from another site: the strict form would stay behind. */
const TLS_TICKET = "__Host-millrace-sign-in"
const PLAIN_TICKET = "millrace-sign-in"
/** No upstream is sent them, nor sets them. */
export const OWN_COOKIES: readonly string[] = [TLS_NAME, PLAIN_NAME, TLS_TICKET, PLAIN_TICKET]
const ended = (cookie: string): string => `${cookie}; Max-Age=0`

/** The session that a request brings. It counts for our own page only, also where other origins may call by CORS. */
export function sessionIdOf(headers: IncomingHttpHeaders): string | undefined {
  if (headers.cookie === undefined || isForeign(headers)) return undefined
  const bound = cookieNamed(TLS_NAME, headers)
  // Over TLS a plain cookie is not ours: a neighbouring host could have set it.
  return bound ?? (isOverTls(headers) ? undefined : cookieNamed(PLAIN_NAME, headers))
}

/** Every session id in it, by either name: these end when another session begins. */
export const sessionIdsOf = (headers: IncomingHttpHeaders): readonly string[] =>
  [TLS_NAME, PLAIN_NAME].flatMap((name) => cookieNamed(name, headers) ?? [])

export const sessionCookie = (id: string, isBound: boolean): string =>
  isBound ? `${TLS_NAME}=${id}${ALWAYS}; Secure` : `${PLAIN_NAME}=${id}${ALWAYS}`

/** Both forms: a browser on plain HTTP ignores the first. */
export const clearedCookies = (): string[] => [ended(sessionCookie("", true)), ended(sessionCookie("", false))]

/**
 * Whether the cookie is bound to TLS. Plain only where the browser itself says that its page came over plain HTTP, for it would
 * drop the other; a caller that says nothing is believed to be beyond TLS unless it can only be on this machine.
 */
export const isBoundToTls = (headers: IncomingHttpHeaders, bindIsLoopback: boolean): boolean =>
  isOverTls(headers) || (headers.origin === undefined && !bindIsLoopback)

/** Believed from any client: it can only make the cookie stricter. */
function isOverTls({ origin, "x-forwarded-proto": proto }: IncomingHttpHeaders): boolean {
  const first = [proto].flat()[0]?.split(",", 1)[0]?.trim()
  return first?.toLowerCase() === "https" || /^https:/i.test(origin ?? "")
}

/** What a browser holds while its user signs in with a provider. */
export const ticketCookie = (
  id: string,
  { isBound, maxAgeSeconds }: { isBound: boolean; maxAgeSeconds: number },
): string =>
  `${isBound ? TLS_TICKET : PLAIN_TICKET}=${id}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAgeSeconds}${isBound ? "; Secure" : ""}`

export const clearedTicket = (isBound: boolean): string => ticketCookie("", { isBound, maxAgeSeconds: 0 })

/** Over TLS the plain one is not read: a neighbouring host could have set it. */
export const ticketIdOf = (headers: IncomingHttpHeaders, isBound: boolean): string | undefined =>
  cookieNamed(isBound ? TLS_TICKET : PLAIN_TICKET, headers)

function cookieNamed(name: string, { cookie = "" }: IncomingHttpHeaders): string | undefined {
  const found = cookie.split(";").find((one) => one.trimStart().startsWith(`${name}=`))
  return found?.slice(found.indexOf("=") + 1).trim()
}
