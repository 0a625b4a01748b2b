// Authentication and authorisation: keys, sessions, scopes, and local development without a key.
import type { IncomingHttpHeaders } from "node:http"
import type { Principal } from "../../operations/people/api-keys.ts"
import { EngineError, forbidden } from "../../support/errors.ts"
import type { RestOptions } from "./options.ts"
import { LOCAL, type Permission } from "./route.ts"
import { sessionIdOf } from "./session-cookie.ts"

const BEARER = /^bearer +([^\s]+)$/i
/** Looked at before anything is decoded or asked of the database. */
const MAX_HEADER = 4_096
/** A scope that ends in the one job type it is for. */
const ONE_TYPE = "jobs:work:"

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
  if (permission === "jobs:work" && scopes.some((scope) => scope.startsWith(ONE_TYPE))) return
  throw forbidden(`this key has no scope ${permission}`)
}

/** The job types a worker's key is limited to; undefined when it is not. */
function jobTypesOf({ scopes }: Principal): ReadonlySet<string> | undefined {
  if (scopes.includes("admin") || scopes.includes("jobs:work")) return undefined
  return new Set(scopes.flatMap((scope) => (scope.startsWith(ONE_TYPE) ? [scope.slice(ONE_TYPE.length)] : [])))
}

export function authorizeJobTypes(principal: Principal, jobTypes: readonly string[]): void {
  const allowed = jobTypesOf(principal)
  const refused = allowed ? jobTypes.filter((jobType) => !allowed.has(jobType)) : []
  if (refused.length > 0) throw forbidden(`this key may not work on ${refused.slice(0, 10).join(", ")}`)
}

/** A limited key proves by the token that it claimed the job itself; a worker's name proves nothing. */
export function authorizeReport(principal: Principal, hasToken: boolean): void {
  if (!hasToken && jobTypesOf(principal))
    throw forbidden("a key that is limited to job types must send the lease token")
}
