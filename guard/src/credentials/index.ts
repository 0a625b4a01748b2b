// Passwords and tokens.
export { CannotFetch } from "./fetch-json.ts"
export {
  NotVouchedFor,
  type OidcOptions,
  type OidcPerson,
  OidcProvider,
  type SignInSecrets,
} from "./oidc/oidc-provider.ts"
export { type IsKnown, Overloaded } from "./passwords/hash-line.ts"
export { LONGEST_PASSWORD, passwordFault, SHORTEST_PASSWORD } from "./passwords/password-rules.ts"
export { type PasswordCheck, Passwords } from "./passwords/passwords.ts"
export { MOST_TOKEN_BYTES, peekToken } from "./tokens/compact-form.ts"
export { FetchedKeys, KeysUnavailable } from "./tokens/fetched-keys.ts"
export {
  BadKey,
  fileKeys,
  type KeySource,
  PUBLIC_ALGORITHMS,
  type PublicAlgorithm,
  publishedKeys,
  SHORTEST_SECRET_BYTES,
  type SigningKeys,
  secretKeys,
} from "./tokens/token-keys.ts"
export { signToken, TOKEN_LIFE_SECONDS, TOKEN_TYPE } from "./tokens/token-signer.ts"
export { type IssuerRules, isExpiredToken, type VerifiedToken, verifyToken } from "./tokens/token-verifier.ts"
