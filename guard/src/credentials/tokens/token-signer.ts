// Signs tokens of our own.
import { type JWTPayload, SignJWT } from "jose"
import type { SigningKeys } from "./token-keys.ts"

export const TOKEN_TYPE = "JWT"
/** Half an hour. */
export const TOKEN_LIFE_SECONDS = 1_800

export interface TokenSubject {
  readonly issuer: string
  readonly audience: string
  readonly subject: string
  readonly claims: JWTPayload
}

export function signToken(keys: SigningKeys, { issuer, audience, subject, claims }: TokenSubject, nowMs: number) {
  const now = Math.floor(nowMs / 1_000)
  return new SignJWT(claims)
    .setProtectedHeader({ alg: keys.algorithm, kid: keys.kid, typ: TOKEN_TYPE })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + TOKEN_LIFE_SECONDS)
    .sign(keys.signingKey)
}
