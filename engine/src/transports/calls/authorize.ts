// Authentication and authorisation: keys, tokens, sessions, scopes, and local development without a key.
import type { IncomingHttpHeaders } from "node:http"
import type { Visit } from "@millrace/guard"
import { isWithin, limitsOf, reachesEngine } from "../../model/people/scopes.ts"
import type { Principal } from "../../operations/people/api-keys.ts"
import { EngineError, forbidden } from "../../support/errors.ts"
import type { RestOptions } from "./options.ts"
import { LOCAL, type Permission } from "./route.ts"
import { sessionIdOf } from "./session-cookie.ts"
import { whenDone } from "./when-done.ts"

const BEARER = /^bearer +([^\s]+)$/i
/** Looked at before anything is decoded or asked of the database. Room for the longest token, which is judged by its own length. */
const MAX_HEADER = 8_300
/** Every key begins like this, and no token does. */
export const KEY_START = "mill_"
/** What a limited scope allows is judged by the route, which knows what the call is about. */
const MAY_BE_LIMITED = ["jobs:work", "events:write"]

type Options = Pick<RestOptions, "auth" | "bindIsLoopback" | "findKey" | "people" | "sessions" | "findTrusted">

/** What is known of a caller before it is known who it is. */
export interface Visitor {
  readonly headers: IncomingHttpHeaders
  /** The address of the connection, or of the caller behind a proxy that the operator has named. Any other header can be forged. */
  readonly address?: string | undefined
  /** What the guard knows of the caller. Undefined where there is no guard. */
  readonly visit?: Visit | undefined
}

export const isKeyNeeded = ({ auth, bindIsLoopback }: Pick<Options, "auth" | "bindIsLoopback">): boolean =>
  auth === "required" || (auth === "auto" && !bindIsLoopback)

/**
 * A cookie counts only where no Authorization is sent. Not a promise where no key is involved: most local calls need no turn
 * of the event loop. `again` is a look at who is still there, which is no use of their session; `digest` is that of the credential,
 * where it has been worked out already.
 */
export function authenticate(
  options: Options,
  { headers, address }: Visitor,
  { again = false, digest }: { again?: boolean; digest?: string | undefined } = {},
): Principal | Promise<Principal> {
  if (options.auth === "off") return LOCAL
  if (headers.authorization !== undefined) return principalOf(options, headers.authorization, digest)
  if (!isKeyNeeded(options)) return LOCAL
  const sessionId = sessionIdOf(headers)
  if (sessionId !== undefined)
    return ofSession(again ? options.sessions.find(sessionId) : options.sessions.use(sessionId))
  const trusted = options.findTrusted?.(address)
  if (trusted) return trusted
  throw unauthenticated("an API key is required: send Authorization: Bearer mill_…")
}

async function ofSession(session: Promise<Principal | undefined>): Promise<Principal> {
  const principal = await session
  if (!principal) throw unauthenticated("this session has ended: sign in again")
  return principal
}

function principalOf(
  { findKey, people }: Options,
  authorization: string,
  digest: string | undefined,
): Principal | Promise<Principal> {
  const credential = bearerOf(authorization)
  if (credential === undefined) throw unknownKey()
  if (people && isTokenLike(credential)) return whenDone(people.tokens.find(credential), orThrow(unknownToken))
  return whenDone(findKey(credential, digest), orThrow(unknownKey))
}

const orThrow = (unknown: () => EngineError) => (principal: Principal | undefined) => {
  if (!principal) throw unknown()
  return principal
}

/** Undefined where it is no bearer token, or longer than any of ours. */
export const bearerOf = (authorization: string): string | undefined =>
  authorization.length <= MAX_HEADER ? BEARER.exec(authorization)?.[1] : undefined

export const isTokenLike = (credential: string): boolean =>
  !credential.startsWith(KEY_START) && credential.includes(".")

const unknownToken = (): EngineError => unauthenticated("this token is not valid, or no longer: sign in again")

export const unknownKey = (): EngineError => unauthenticated("this API key is not known, or no longer valid")

const unauthenticated = (message: string): EngineError => new EngineError("unauthenticated", message)

export function authorize({ scopes }: Principal, permission: Permission): void {
  if (permission === "any-key" || permission === "anyone") return
  if (permission === "any-scope") return authorizeEngine(scopes)
  if (scopes.includes("admin") || scopes.includes(permission)) return
  if (MAY_BE_LIMITED.includes(permission) && limitsOf(scopes, permission)?.length) return
  throw forbidden(`this key has no scope ${permission}`)
}

function authorizeEngine(scopes: readonly string[]): void {
  if (!reachesEngine(scopes))
    throw forbidden("this caller has no scope of the engine: the scope gateway is for /gateway/*")
}

/** The details tell each, so that a worker can go on with the others. `at` is where the list stands in the request. */
export function authorizeJobTypes({ scopes }: Principal, jobTypes: readonly string[], at = "$.jobTypes"): void {
  const refused = new Set(beyond(limitsOf(scopes, "jobs:work"), jobTypes))
  if (refused.size === 0) return
  const details = jobTypes.flatMap((name, index) =>
    refused.has(name) ? [{ path: `${at}[${index}]`, message: "is not among the scopes of this key" }] : [],
  )
  const message = `this key may not work on ${[...refused].slice(0, 10).join(", ")}`
  throw new EngineError("forbidden", message, { details })
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
