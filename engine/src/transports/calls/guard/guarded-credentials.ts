// Who calls, with the guard in front of the look-up: an address that sends one wrong credential after another is refused before it.
import type { IncomingHttpHeaders } from "node:http"
import type { Verdict, Visit } from "@millrace/guard"
import { credentialDigest, type Principal } from "../../../operations/people/api-keys.ts"
import { EngineError } from "../../../support/errors.ts"
import { authenticate, bearerOf, isTokenLike, type Visitor } from "../authorize.ts"
import type { RestOptions } from "../options.ts"
import { sessionIdOf } from "../session-cookie.ts"
import { whenDone } from "../when-done.ts"
import { type Credential, type Guarding, obeyNoted, type Reply } from "./guard-verdicts.ts"

type Options = Pick<
  RestOptions,
  "auth" | "bindIsLoopback" | "findKey" | "people" | "sessions" | "findTrusted" | "guarding"
>

/** Does the same as `authenticate`, behind the guard where there is one. */
export function identify(options: Options, visitor: Visitor, reply: Reply): Principal | Promise<Principal> {
  const { guarding } = options
  const { visit } = visitor
  if (!guarding || !visit) return authenticate(options, visitor)
  const credential = credentialOf(visitor.headers)
  const digest = credential && digestOf(credential)
  // A neighbour who guesses must not shut out those who have proved themselves from the same address.
  const isStranger = digest !== undefined && !guarding.verified.has(digest)
  const tried = { options, guarding, visit, reply, credential, digest, isStranger }
  const look = () => noted(tried, () => authenticate(options, visitor, { digest }))
  const before = isStranger ? guarding.guard.beforeCredential(visit) : guarding.guard.beforeAll(visit)
  return whenDone(before, (verdict) => whenDone(answerTo(tried, verdict), look))
}

/**
 * Who calls a route that anyone may call, as far as it is known without a guess: by a credential that was good of late, or a session of
 * ours. Another one is not looked up, for its answer would tell keys apart without a count. Nothing is refused here.
 */
export function knownCaller(
  options: Options,
  visitor: Visitor,
): Principal | undefined | Promise<Principal | undefined> {
  const { guarding } = options
  const credential = credentialOf(visitor.headers)
  if (!guarding || !credential || visitor.visit?.routeClass === "health") return undefined
  const digest = digestOf(credential)
  if (guarding.verified.has(digest)) return stillGood(options, visitor, digest)
  if ("bearer" in credential) return undefined
  return options.sessions.isOurs(credential.sessionId).then(
    (isOurs) => (isOurs ? stillGood(options, visitor, digest) : undefined),
    () => undefined,
  )
}

/** Where it cannot be told now, the caller is one without a credential: such a route has an answer of its own for it. */
async function stillGood(options: Options, visitor: Visitor, digest: string): Promise<Principal | undefined> {
  try {
    return await authenticate(options, visitor, { again: true, digest })
  } catch {
    return undefined
  }
}

/** Undefined for a caller that no key, session or network speaks for, and for one whose credential is not looked at for now. */
export async function findCaller(options: Options, visitor: Visitor): Promise<Principal | undefined> {
  try {
    return await identify(options, asTried(visitor), ALONE)
  } catch (error) {
    if (error instanceof EngineError && STRANGER.has(error.code)) return undefined
    throw error
  }
}

/** A probe is never refused, but one that brings a credential asks more than whether the engine is alive. */
const asTried = ({ headers, address, visit }: Visitor): Visitor =>
  visit?.routeClass === "health"
    ? { headers, address, visit: { ...visit, routeClass: "public" } }
    : { headers, address, visit }

/** Its route has an answer of its own, which says nothing of the guard. */
const ALONE: Reply = { tell: () => {}, gone: () => AbortSignal.timeout(MOST_HELD_MS) }
const MOST_HELD_MS = 10_000

const STRANGER: ReadonlySet<string> = new Set(["unauthenticated", "rate-limited", "forbidden"])

function credentialOf(headers: IncomingHttpHeaders): Credential | undefined {
  if (headers.authorization !== undefined) return { bearer: bearerOf(headers.authorization) ?? headers.authorization }
  const sessionId = sessionIdOf(headers)
  return sessionId === undefined ? undefined : { sessionId }
}

interface Tried {
  readonly options: Options
  readonly guarding: Guarding
  readonly visit: Visit
  readonly reply: Reply
  readonly credential: Credential | undefined
  readonly digest: string | undefined
  /** Its credential has not been seen to be good before. */
  readonly isStranger: boolean
}

const answerTo = ({ guarding, visit, reply }: Tried, verdict: Verdict) => obeyNoted(guarding, { visit, verdict }, reply)

function noted(tried: Tried, look: () => Principal | Promise<Principal>) {
  const failed = (error: unknown) => noteFailure(tried, error)
  const known = (principal: Principal) => noteSuccess(tried, principal)
  try {
    const principal = look()
    return principal instanceof Promise ? principal.then(known, failed) : known(principal)
  } catch (error) {
    return failed(error)
  }
}

function noteSuccess(tried: Tried, principal: Principal): Principal | Promise<Principal> {
  const { guarding, visit, digest, isStranger } = tried
  const welcome = () => {
    if (digest !== undefined) guarding.verified.note(digest, true)
    return principal
  }
  if (!isStranger) return welcome()
  return whenDone(guarding.guard.signedIn(visit), (verdict) => whenDone(answerTo(tried, verdict), welcome))
}

async function noteFailure(tried: Tried, error: unknown): Promise<never> {
  const { options, guarding, visit, credential, digest } = tried
  const isRefused = error instanceof EngineError && error.code === "unauthenticated"
  if (isRefused && credential && digest !== undefined) {
    guarding.verified.note(digest, false)
    if (await isGuess(options, credential))
      await answerTo(tried, await guarding.guard.credentialFailed(visit, { digest }))
  }
  throw error
}

/** The guard counts credentials by digest: it must not hold the credential itself. */
const digestOf = (credential: Credential): string =>
  credentialDigest("bearer" in credential ? credential.bearer : credential.sessionId)

/**
 * Whether a refused credential may have been guessed. A session or a token of ours that is over was not: people at one address come back
 * in the morning with old ones. The proof is asked for, because anyone can write a token whose time is over.
 */
async function isGuess({ people, sessions }: Options, credential: Credential): Promise<boolean> {
  if ("sessionId" in credential) return !(await sessions.isOurs(credential.sessionId))
  const { bearer } = credential
  return !people || !isTokenLike(bearer) || !(await people.tokens.isExpired(bearer))
}
