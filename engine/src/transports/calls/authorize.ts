// Authentication and authorisation: keys, sessions, scopes, and local development without a key.
import type { IncomingHttpHeaders } from "node:http"
import { isWithin, limitsOf } from "../../model/people/scopes.ts"
import type { Principal } from "../../operations/people/api-keys.ts"
import { EngineError, forbidden } from "../../support/errors.ts"
import type { RestOptions } from "./options.ts"
import { LOCAL, type Permission } from "./route.ts"
import { sessionIdOf } from "./session-cookie.ts"

const BEARER = /^bearer +([^\s]+)$/i
/** Looked at before anything is decoded or asked of the database. */
const MAX_HEADER = 4_096
/** What a limited scope allows is judged by the route, which knows what the call is about. */
const MAY_BE_LIMITED = ["jobs:work", "events:write"]

type Options = Pick<RestOptions, "auth" | "bindIsLoopback" | "findKey" | "sessions" | "findTrusted">

/** What is known of a caller before it is known who it is. */
export interface Visitor {
  readonly headers: IncomingHttpHeaders
  /** Of the connection itself; what a header says of it anyone can write. */
  readonly address?: string | undefined
}

export const isKeyNeeded = ({ auth, bindIsLoopback }: Pick<Options, "auth" | "bindIsLoopback">): boolean =>
  auth === "required" || (auth === "auto" && !bindIsLoopback)

/**
 * A cookie counts only where no Authorization is sent. Not a promise where no key is involved: most local calls need no turn
 * of the event loop. `again` is a look at who is still there, which is no use of their session.
 */
export function authenticate(
  options: Options,
  { headers, address }: Visitor,
  { again = false } = {},
): Principal | Promise<Principal> {
  if (options.auth === "off") return LOCAL
  if (headers.authorization !== undefined) return principalOf(options, headers.authorization)
  if (!isKeyNeeded(options)) return LOCAL
  const sessionId = sessionIdOf(headers)
  if (sessionId !== undefined)
    return ofSession(again ? options.sessions.find(sessionId) : options.sessions.use(sessionId))
  const trusted = options.findTrusted?.(address)
  if (trusted) return trusted
  throw unauthenticated("an API key is required: send Authorization: Bearer mill_…")
}

/** Undefined for a caller that no key, session or network speaks for. */
export async function findCaller(options: Options, visitor: Visitor): Promise<Principal | undefined> {
  try {
    return await authenticate(options, visitor)
  } catch (error) {
    if (error instanceof EngineError && error.code === "unauthenticated") return undefined
    throw error
  }
}

async function ofSession(session: Promise<Principal | undefined>): Promise<Principal> {
  const principal = await session
  if (!principal) throw unauthenticated("this session has ended: sign in again")
  return principal
}

async function principalOf({ findKey }: Options, authorization: string): Promise<Principal> {
  const key = authorization.length <= MAX_HEADER ? BEARER.exec(authorization)?.[1] : undefined
  const principal = key === undefined ? undefined : await findKey(key)
  if (!principal) throw unknownKey()
  return principal
}

export const unknownKey = (): EngineError => unauthenticated("this API key is not known, or no longer valid")

const unauthenticated = (message: string): EngineError => new EngineError("unauthenticated", message)

export function authorize({ scopes }: Principal, permission: Permission): void {
  if (permission === "any-key" || permission === "anyone") return
  if (scopes.includes("admin") || scopes.includes(permission)) return
  if (MAY_BE_LIMITED.includes(permission) && limitsOf(scopes, permission)?.length) return
  throw forbidden(`this key has no scope ${permission}`)
}

export function authorizeJobTypes({ scopes }: Principal, jobTypes: readonly string[]): void {
  const refused = beyond(limitsOf(scopes, "jobs:work"), jobTypes)
  if (refused.length > 0) throw forbidden(`this key may not work on ${refused.slice(0, 10).join(", ")}`)
}

export function authorizeEventTypes({ scopes }: Principal, types: readonly string[]): void {
  const refused = beyond(limitsOf(scopes, "events:write"), types)
  if (refused.length > 0) throw forbidden(`this key may not publish ${refused.slice(0, 10).join(", ")}`)
}

const beyond = (limits: readonly string[] | undefined, names: readonly string[]): readonly string[] =>
  limits ? names.filter((name) => !isWithin(name, limits)) : []

/** A limited key proves by the token that it claimed the job itself; a worker's name proves nothing. */
export function authorizeReport({ scopes }: Principal, hasToken: boolean): void {
  if (!hasToken && limitsOf(scopes, "jobs:work"))
    throw forbidden("a key that is limited to job types must send the lease token")
}
