// Verifies tokens of one issuer. The algorithm is the issuer's, by configuration: what the header says has to be the same.
import { errors, type JWTPayload, jwtVerify } from "jose"
import { MOST_TOKEN_BYTES, peekToken } from "./compact-form.ts"
import type { Algorithm, KeySource } from "./token-keys.ts"

export interface IssuerRules {
  readonly issuer: string
  readonly audience: string
  readonly algorithm: Algorithm
  readonly keys: KeySource
  /** What `typ` may say; undefined is one that is left out. */
  readonly types: readonly (string | undefined)[]
  readonly mostBytes?: number
  /** An hour unless said: a token that is good for longer could not be taken back in time. */
  readonly longestLifeSeconds?: number
}

export interface VerifiedToken extends JWTPayload {
  readonly sub: string
  readonly iat: number
  readonly exp: number
}

/** Clocks of two machines are seldom the same. */
const LEEWAY_SECONDS = 30
const LONGEST_LIFE_SECONDS = 3_600

/** Undefined for a token that is not good, whatever the reason: its sender learns no more. Throws where a key cannot be had now. */
export async function verifyToken(
  token: string,
  rules: IssuerRules,
  nowMs: number,
): Promise<VerifiedToken | undefined> {
  const verified = await proved(token, rules, nowMs)
  return verified === "expired" ? undefined : verified
}

/** Whether the issuer has signed it and its time is over, by the same clock skew as above: such a token was not guessed. */
export const isExpiredToken = async (token: string, rules: IssuerRules, nowMs: number): Promise<boolean> =>
  (await proved(token, rules, nowMs)) === "expired"

async function proved(
  token: string,
  rules: IssuerRules,
  nowMs: number,
): Promise<VerifiedToken | "expired" | undefined> {
  const peeked = peekToken(token, rules.mostBytes ?? MOST_TOKEN_BYTES)
  if (!peeked || peeked.algorithm !== rules.algorithm || peeked.issuer !== rules.issuer) return undefined
  if (!rules.types.includes(peeked.type)) return undefined
  const key = await rules.keys.find(peeked.kid)
  if (!key) return undefined
  try {
    const { payload } = await jwtVerify(token, key, optionsOf(rules, nowMs))
    return judged(payload, nowMs / 1_000, rules.longestLifeSeconds ?? LONGEST_LIFE_SECONDS)
  } catch (error) {
    // The library looks at the signature first, and at the times last.
    if (error instanceof errors.JWTExpired) return "expired"
    if (FAULTS.some((kind) => error instanceof kind)) return undefined
    throw error
  }
}

/** A key that does not fit the algorithm is no error of the library's own. */
const FAULTS = [errors.JOSEError, TypeError, DOMException]

const optionsOf = ({ issuer, audience, algorithm }: IssuerRules, nowMs: number) => ({
  algorithms: [algorithm],
  issuer,
  audience,
  clockTolerance: LEEWAY_SECONDS,
  requiredClaims: ["exp", "iat", "sub"],
  currentDate: new Date(nowMs),
})

function judged(payload: JWTPayload, now: number, longestLife: number): VerifiedToken | undefined {
  const { sub, iat, exp } = payload
  if (typeof sub !== "string" || sub === "" || iat === undefined || exp === undefined) return undefined
  if (iat > now + LEEWAY_SECONDS || exp - iat > longestLife || exp <= iat) return undefined
  return payload as VerifiedToken
}
