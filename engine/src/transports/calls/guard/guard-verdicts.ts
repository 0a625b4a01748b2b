// What a door does with a verdict: lets in, holds, or refuses in words that do not tell which rule it was.
import type {
  ClassLimits,
  Guard,
  HardBlocked,
  RouteClass,
  RunningGuard,
  SoftBlocked,
  Verdict,
  Visit,
} from "@millrace/guard"
import type { Caller } from "../../../operations/guard/busiest.ts"
import { type Principal, subjectOf } from "../../../operations/people/api-keys.ts"
import { EngineError, forbidden } from "../../../support/errors.ts"
import { LOCAL } from "../route.ts"
import { NETWORK_SUBJECT } from "../trusted-networks.ts"
import type { VerifiedCredentials } from "./verified-credentials.ts"

/** What is looked up: a key or a token, or else a session. */
export type Credential = { readonly bearer: string } | { readonly sessionId: string }

/** The guard at the doors. */
export interface Guarding {
  readonly guard: RunningGuard
  readonly settings: GuardFacts
  readonly verified: VerifiedCredentials
  /** What became of a request, for operators. */
  readonly note: (visit: Visit, verdict: Verdict, client: string | undefined) => void
  /** The callers with the most requests to this process. */
  readonly top: (count: number) => Callers
}

/** The settings that the guard was started with. */
export interface GuardFacts {
  readonly shadow: boolean
  readonly failMode: "open" | "closed"
  readonly limits: ClassLimits
  /** Addresses and networks; no operator means to block one. */
  readonly trustedProxies: readonly string[]
}

interface Callers {
  readonly clients: readonly Caller[]
  readonly addresses: readonly Caller[]
}

/** The same message for every rule: a refused caller must not learn which rule it met. */
const REFUSED = "this request was refused: wait for the time in Retry-After if there is one, else ask the operator"

/** How a wire tells its caller something, and knows whether the caller is still there. */
export interface Reply {
  /** Puts a header, or a trailer, on the answer. */
  readonly tell: (name: string, value: string) => void
  readonly gone: () => AbortSignal
}

/** Obeys the verdict on a credential. A verdict other than allowed is noted for operators. */
export function obeyNoted(guarding: Pick<Guarding, "guard" | "note">, judged: Judged, reply: Reply) {
  if (judged.verdict.state !== "allowed") guarding.note(judged.visit, judged.verdict, undefined)
  return obey(guarding.guard, judged, reply)
}

/** Throws the refusal for the caller, unless the caller may go on, at once or after a delay. */
export function obey(guard: Guard, { verdict, visit }: Judged, { tell, gone }: Reply): void | Promise<void> {
  if (verdict.state === "allowed") {
    if (verdict.remaining !== undefined) tell("x-ratelimit-remaining", String(verdict.remaining))
    return
  }
  acted.set(visit, verdict)
  if (verdict.state !== "throttled") throw refusalOf(verdict, visit.routeClass)
  const { delayMs } = verdict
  return guard.hold(delayMs, gone()).then((isServed) => {
    if (!isServed) throw tooMany(guard.retryAfterSeconds(delayMs))
    tell("retry-after", String(Math.ceil(delayMs / 1_000)))
  })
}

const acted = new WeakMap<Visit, Action>()

type Action = Exclude<Verdict, { state: "allowed" }>

/** What the guard did to a request, for its line in the log; undefined where it did nothing. */
export function actionOn(visit: Visit | undefined): Pick<Action, "state" | "rule" | "reason"> | undefined {
  const action = visit && acted.get(visit)
  return action && { state: action.state, rule: action.rule, reason: action.reason }
}

interface Judged {
  readonly visit: Visit
  readonly verdict: Verdict
}

function refusalOf(verdict: SoftBlocked | HardBlocked, routeClass: RouteClass): EngineError {
  if (verdict.state === "hard-blocked") return forbidden(REFUSED)
  if (verdict.isUnavailable)
    return new EngineError("unavailable", REFUSED, { retryAfterSeconds: verdict.retryAfterSeconds })
  // Where a password or a key is tried, a blocked caller is not told when to go on; one that only calls too often is.
  return routeClass === "login" && verdict.rule !== "rate" ? forbidden(REFUSED) : tooMany(verdict.retryAfterSeconds)
}

const tooMany = (retryAfterSeconds: number): EngineError =>
  new EngineError("rate-limited", REFUSED, { retryAfterSeconds })

/** By a typed name, so that no user name is ever taken for an address; undefined for a caller without a credential. */
export function clientName(principal: Principal | undefined, address: string): string | undefined {
  if (principal === undefined || principal === LOCAL) return undefined
  return principal.subject === NETWORK_SUBJECT ? `network:${address}` : subjectOf(principal)
}
