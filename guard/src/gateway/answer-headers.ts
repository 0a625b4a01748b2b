// The headers of an upstream's answer as the caller gets them: without what speaks of the connection behind, and with ours on top.
import { HOP_BY_HOP, namedByConnection } from "./forward-headers.ts"

export type HeaderValues = Readonly<Record<string, string | string[] | undefined>>

interface Answered {
  readonly headers: HeaderValues
  /** Ours: these replace the upstream's of the same name. */
  readonly own: Readonly<Record<string, string>>
  /** Names of cookies that an upstream may not set: a session of its choice would be signed in here. */
  readonly cookies: readonly string[]
}

/**
 * They act on the whole origin in a browser, which is the gateway's: one upstream would sign the users of the others out, send them
 * elsewhere, put its worker in front of all paths, or have their errors reported to it.
 */
const OF_THE_ORIGIN = [
  "accept-ch",
  "alt-svc",
  "clear-site-data",
  "expect-ct",
  "nel",
  "origin-agent-cluster",
  "public-key-pins",
  "public-key-pins-report-only",
  "report-to",
  "service-worker-allowed",
  "set-login",
  "strict-transport-security",
]

const NEVER_PASSED: ReadonlySet<string> = new Set([...HOP_BY_HOP, ...OF_THE_ORIGIN])

export function answerHeaders({ headers, own, cookies }: Answered): string[] {
  const connection = headers.connection
  const named = namedByConnection(Array.isArray(connection) ? connection.join() : connection)
  const sent: string[] = []
  for (const name in headers) {
    if (NEVER_PASSED.has(name) || isOurs(name, own) || named?.has(name)) continue
    const value = headers[name] as string | string[]
    if (typeof value === "string" && name !== "set-cookie") sent.push(name, value)
    else for (const one of [value].flat()) if (name !== "set-cookie" || !isOneOf(cookies, one)) sent.push(name, one)
  }
  for (const name in own) sent.push(name, own[name] as string)
  return sent
}

/** `vary` is the exception: both the guard and the upstream may add to it. */
const isOurs = (name: string, own: Answered["own"]): boolean =>
  (name in own && name !== "vary") || name.startsWith("x-millrace-")

/** A cookie without a name matches too: a browser sends it back as if its value were the name. */
const isOneOf = (cookies: readonly string[], setCookie: string): boolean =>
  ["", ...cookies].includes(setCookie.split("=", 1)[0]!.trim())
